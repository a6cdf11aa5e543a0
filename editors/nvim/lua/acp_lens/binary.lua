--- Finds `acp-lens`: the option, then the PATH, then this project's own build.
local M = {}

---@return string folder of the checkout that this plugin stands in
local function checkout()
  local here = assert(debug.getinfo(1, 'S')).source:sub(2)
  -- A package folder may be a link to the plugin's folder in the checkout.
  here = vim.fn.resolve(here)
  return vim.fs.normalize(vim.fs.joinpath(vim.fs.dirname(here), '..', '..', '..', '..'))
end

--- Places that were looked at, and what was there.
---@return { place: string, path: string, usable: boolean }[]
function M.candidates()
  local suffix = vim.fn.has('win32') == 1 and '.exe' or ''
  local found = {}
  local function add(place, path)
    if path ~= '' then
      found[#found + 1] = { place = place, path = path, usable = vim.fn.executable(path) == 1 }
    end
  end
  local option = require('acp_lens.config').get().bin
  if option ~= '' then
    -- A binary that was asked for is the only one: another one in its place would surprise.
    add('option `bin`', vim.fs.normalize(option))
    return found
  end
  add('PATH', vim.fn.exepath('acp-lens'))
  for _, profile in ipairs({ 'release', 'debug' }) do
    add(
      'build of this checkout',
      vim.fs.normalize(vim.fs.joinpath(checkout(), 'target', profile, 'acp-lens' .. suffix))
    )
  end
  return found
end

--- The binary to run, or nil and a sentence that says what to do.
---@return string?, string?
function M.find()
  local candidates = M.candidates()
  for _, candidate in ipairs(candidates) do
    if candidate.usable then
      return candidate.path
    end
  end
  if candidates[1] and candidates[1].place == 'option `bin`' then
    return nil,
      ('the option `bin` names %s, which cannot be run; correct it or remove it'):format(
        candidates[1].path
      )
  end
  return nil,
    'the binary `acp-lens` was not found; put it on your PATH (cargo install --path '
      .. 'crates/editor-server), or set the option `bin`'
end

return M

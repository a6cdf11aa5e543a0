--- Workspaces of recorded sessions, written to disk as they were at the session's end.
local M = {}

local root = vim.fs.dirname(vim.fs.dirname(vim.fs.abspath(debug.getinfo(1, 'S').source:sub(2))))
local traces = vim.fs.joinpath(root, 'fixtures/traces')

---@param path string
---@return string
function M.read(path)
  local file = assert(io.open(path, 'rb'))
  local text = file:read('*a')
  file:close()
  return text
end

---@param path string
---@param text string
function M.write(path, text)
  vim.fn.mkdir(vim.fs.dirname(path), 'p')
  local file = assert(io.open(path, 'wb'))
  file:write(text)
  file:close()
end

--- Writes the final workspace of a recorded session, and a trace whose paths are in it.
---@param name string
---@return { root: string, trace: string, before: table<string, string>, after: table<string, string> }
function M.of_trace(name)
  local files = vim.json.decode(M.read(vim.fs.joinpath(traces, name .. '.files.json')))
  local folder = vim.fs.normalize(vim.fn.tempname())
  vim.fn.mkdir(folder .. '/.git', 'p')
  for path, text in pairs(files.after) do
    M.write(vim.fs.joinpath(folder, path), text)
  end
  local trace = vim.fn.tempname() .. '.ndjson'
  -- The recorded workspace is elsewhere; its path stands in many messages.
  local text = M.read(vim.fs.joinpath(traces, name .. '.ndjson'))
    :gsub('/tmp/ws', (folder:gsub('%%', '%%%%')))
  M.write(trace, text)
  return { root = folder, trace = trace, before = files.before, after = files.after }
end

--- Writes the project that the demo agent works in, as it is before it.
---@return string root
function M.of_demo()
  local project = vim.fs.joinpath(vim.fs.dirname(root), 'crates/editor-server/src/demo/before')
  local folder = vim.fs.normalize(vim.fn.tempname())
  vim.fn.mkdir(folder .. '/.git', 'p')
  for name, kind in vim.fs.dir(project, { depth = 5 }) do
    if kind == 'file' then
      M.write(vim.fs.joinpath(folder, name), M.read(vim.fs.joinpath(project, name)))
    end
  end
  return folder
end

--- Lines of `after` that are not in `before`, from 0, by the line diff of Neovim.
---@param before string
---@param after string
---@return table<integer, true>
function M.changed_lines(before, after)
  local lines = {}
  for _, hunk in ipairs(vim.diff(before, after, { result_type = 'indices' })) do
    for line = hunk[3], hunk[3] + hunk[4] - 1 do
      lines[line - 1] = true
    end
  end
  return lines
end

return M

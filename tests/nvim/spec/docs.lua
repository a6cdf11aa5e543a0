-- The help says all that there is, and nothing that there is not.
local h = require('harness')
local workspace = require('workspace')
local it = h.it

local plugin = vim.fs.normalize(
  vim.fs.dirname(vim.fs.abspath(debug.getinfo(1, 'S').source:sub(2))) .. '/../../../editors/nvim'
)
local help = workspace.read(plugin .. '/doc/acp_lens.txt')

---@param pattern string with one capture
---@param text? string
---@return string[]
local function all(pattern, text)
  local found = {}
  for name in (text or help):gmatch(pattern) do
    found[name] = true
  end
  local names = vim.tbl_keys(found)
  table.sort(names)
  return names
end

---@param table table
---@return string[]
local function keys(table_)
  local names = vim.tbl_keys(table_)
  table.sort(names)
  return names
end

it('every subcommand is described', function()
  h.equal(keys(require('acp_lens.command').subcommands), all('%*:AcpLens%-([%w-]+)%*'))
end)

it('every subcommand has a mapping, and every mapping is described', function()
  local mapped, reached = {}, {}
  for _, map in ipairs(vim.api.nvim_get_keymap('n')) do
    local name = map.lhs:match('^<Plug>%(acp%-lens%-([%w-]+)%)$')
    if name then
      mapped[name] = true
      reached[map.desc:match('^acp%-lens: (%S+)')] = true
    end
  end
  h.equal(keys(mapped), all('%*<Plug>%(acp%-lens%-([%w-]+)%)%*'))
  h.equal(keys(require('acp_lens.command').subcommands), keys(reached))
end)

it('every option is described, with its default', function()
  local config = require('acp_lens.config')
  h.equal(keys(config.defaults), all('%*acp%-lens%-option%-([%w_]+)%*'))
  local shown = help:match("require%('acp_lens'%)%.setup(%b())")
  local options = assert(loadstring('return ' .. shown))()
  for name, value in pairs(config.defaults) do
    h.equal(type(value) == 'function' or value, type(value) == 'function' or options[name], name)
  end
  h.equal(keys(config.defaults), keys(options))
end)

it('every highlight is described, with its link', function()
  local links = {}
  for name, link in help:gmatch('%*hl%-(%w+)%*%s+(%w+)') do
    links[name] = link
  end
  h.equal(require('acp_lens.highlight').links, links)
end)

it('every group that is used is defined', function()
  local links = require('acp_lens.highlight').links
  local used = {}
  for path in vim.fs.dir(plugin .. '/lua/acp_lens', { depth = 3 }) do
    if path:match('%.lua$') then
      local text = workspace.read(vim.fs.joinpath(plugin, 'lua/acp_lens', path))
      for _, name in ipairs(all("'(AcpLens%u%l+)'", text)) do
        used[name] = true
      end
      for _, name in ipairs(all("'(AcpLens%u%l+Line)'", text)) do
        used[name] = true
      end
    end
  end
  for _, event in ipairs({ 'AcpLensUpdate', 'AcpLensPermission', 'AcpLensTimeline' }) do
    used[event] = nil
  end
  h.equal(keys(links), keys(used))
end)

it('every event is described', function()
  local fired = {}
  for path in vim.fs.dir(plugin .. '/lua/acp_lens', { depth = 3 }) do
    if path:match('%.lua$') then
      local text = workspace.read(vim.fs.joinpath(plugin, 'lua/acp_lens', path))
      for _, name in ipairs(all("fire%('(AcpLens%w+)'", text)) do
        fired[name] = true
      end
      for _, name in ipairs(all("pattern = '(AcpLens%w+)'", text)) do
        fired[name] = true
      end
    end
  end
  h.equal(keys(fired), all('%*(AcpLens%u%w+)%*'))
end)

it('the tags of the help are right', function()
  local folder = vim.fn.tempname()
  vim.fn.mkdir(folder, 'p')
  vim.fn.writefile(vim.split(help, '\n'), folder .. '/acp_lens.txt')
  vim.cmd.helptags(vim.fn.fnameescape(folder))
  local tags = {}
  for _, line in ipairs(vim.fn.readfile(folder .. '/tags')) do
    tags[line:match('^[^\t]+')] = true
  end
  for _, link in ipairs(all('|(acp%-lens[%w-]*)|')) do
    assert(tags[link], link)
  end
  for _, link in ipairs(all('|(:AcpLens[%w-]*)|')) do
    assert(tags[link], link)
  end
  for number, line in ipairs(vim.split(help, '\n')) do
    assert(vim.fn.strdisplaywidth(line) <= 90, ('line %d is too long'):format(number))
  end
end)

h.finish()

-- What a person sees: screens of a terminal at two sizes, compared with the files beside this one.
--
-- UPDATE_EXPECT=1 writes them anew. SCREENS_OUT names a folder for the same screens in colour.
local h = require('harness')
local terminal = require('terminal')
local workspace = require('workspace')

local here = vim.fs.dirname(vim.fs.abspath(debug.getinfo(1, 'S').source:sub(2)))

--- Lua that tells whether any buffer shows a text that matches.
---@param pattern string
---@return string
local function shows(pattern)
  return ([[
    for _, win in ipairs(vim.api.nvim_list_wins()) do
      local lines = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), 0, -1, false)
      if table.concat(lines, '\n'):find(%q) then
        return true
      end
    end]]):format(pattern)
end

local ENDED = [[
  if not _G.ended then
    _G.ended = 0
    vim.api.nvim_create_autocmd('User', {
      pattern = 'AcpLensTurnEnd',
      callback = function() _G.ended = _G.ended + 1 end,
    })
  end]]

local MARKED = [[
  local namespace = vim.api.nvim_create_namespace('acp_lens')
  return #vim.api.nvim_buf_get_extmarks(0, namespace, 0, -1, {}) > 2]]

---@param size string
---@param name string
---@param neovim test.Terminal
---@param mask? fun(text: string): string
local function compare(size, name, neovim, mask)
  h.it(('%s at %s'):format(name, size), function()
    -- How long a turn took and how many sessions the demo agent has had differ from run to run.
    local seen = neovim:screen():gsub('took %d+%.%d s', 'took N.N s'):gsub('demo%-%d', 'demo-N')
    seen = mask and mask(seen) or seen
    local out = vim.env.SCREENS_OUT
    if out then
      workspace.write(('%s/%s-%s.ansi'):format(out, size, name), neovim:capture(true))
    end
    local path = ('%s/%s/%s.txt'):format(here, size, name)
    if vim.env.UPDATE_EXPECT then
      workspace.write(path, seen)
    end
    local difference = vim.diff(workspace.read(path), seen)
    assert(difference == '', ('%s differs:\n%s'):format(path, difference))
  end)
end

---@param width integer
---@param height integer
local function tour(width, height)
  local size = ('%dx%d'):format(width, height)
  local root = workspace.of_demo()
  local neovim = terminal.start({
    cwd = root,
    width = width,
    height = height,
    init = here .. '/init.lua',
    arguments = { 'receipt.py' },
  })
  local function shot(name, mask)
    compare(size, name, neovim, mask)
  end
  local function command(line)
    neovim:call('vim.cmd(...)', line)
  end

  neovim:call(ENDED)
  command('AcpLens changes')
  shot('nothing-yet')
  command('close')

  command('AcpLens start demo')
  neovim:eventually(
    'the session',
    [[
    local entry = require('acp_lens.store').current_host()
    return entry and entry.info.state == 'idle']]
  )
  command('AcpLens prompt Give loyal customers a discount')
  neovim:eventually('the end of the turn', 'return _G.ended == 1')
  command('AcpLens prompt Go on')
  neovim:eventually('the question', "return require('acp_lens.permission').count() == 1")
  shot('session-with-question')

  neovim:input('1')
  neovim:eventually('the end of the turn', 'return _G.ended == 2')
  shot('session-after-its-turns')
  neovim:input('q')

  neovim:eventually('marks', MARKED)
  shot('file-with-lenses-and-signs')

  command('AcpLens last file')
  neovim:eventually('the last change', "return vim.fn.line('.') > 20")
  command('AcpLens deleted')
  neovim:eventually(
    'the old text',
    [[
    local namespace = vim.api.nvim_create_namespace('acp_lens')
    for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, namespace, 0, -1, { details = true })) do
      if mark[4].virt_lines then
        return true
      end
    end]]
  )
  shot('deleted-text')
  command('AcpLens deleted')

  command('AcpLens first file')
  neovim:eventually('the first change', "return vim.fn.line('.') == 5")
  command('AcpLens hover')
  neovim:eventually('the hover', shows('turn %d'))
  shot('hover')
  command('fclose!')

  command('AcpLens changes turn')
  neovim:eventually('rows', shows('Turn 1'))
  shot('changes-by-turn')
  neovim:input('f')
  neovim:eventually('rows by file', shows('%-%d+  turn %d'))
  shot('changes-by-file')
  neovim:input('?')
  shot('changes-help')
  neovim:input('qq')

  command('AcpLens quickfix')
  neovim:eventually('the list', "return vim.bo.buftype == 'quickfix'")
  shot('quickfix')
  command('cclose')

  command('edit receipt.py')
  command('AcpLens diff session')
  neovim:eventually('two sides', 'return vim.wo.diff and #vim.api.nvim_list_tabpages() == 2')
  shot('diff')
  neovim:input('q')
  neovim:eventually('one tab', 'return #vim.api.nvim_list_tabpages() == 1')

  command('checkhealth acp_lens')
  shot('checkhealth', function(text)
    -- The path of the binary differs, and so do the versions.
    return (text:gsub('/%S+/acp%-lens', 'PATH'):gsub('%d+%.%d+%.%d+%S*', 'VERSION'))
  end)
  neovim:stop()
end

for _, size in ipairs({ { 80, 24 }, { 200, 50 } }) do
  local ok, why = xpcall(tour, debug.traceback, size[1], size[2])
  terminal.stop_all()
  h.it(('the tour at %dx%d came to its end'):format(size[1], size[2]), function()
    assert(ok, why)
  end)
end

h.finish()

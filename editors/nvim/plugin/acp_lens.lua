-- Entry point: one command, the <Plug> mappings, and the events that start the server.
-- Nothing is required before the first of them fires.
if vim.g.loaded_acp_lens then
  return
end
vim.g.loaded_acp_lens = true

if vim.fn.has('nvim-0.11') == 0 then
  vim.notify('acp-lens needs Neovim 0.11 or newer', vim.log.levels.WARN)
  return
end

vim.api.nvim_create_user_command('AcpLens', function(args)
  require('acp_lens.command').run(args)
end, {
  nargs = '*',
  count = 0,
  desc = 'Changes that coding agents made',
  complete = function(lead, line, position)
    return require('acp_lens.command').complete(lead, line, position)
  end,
})

---@type table<string, string> mapping name to subcommand
local plugs = {
  changes = 'changes',
  diff = 'diff',
  ['diff-call'] = 'diff call',
  ['diff-turn'] = 'diff turn',
  ['diff-session'] = 'diff session',
  next = 'next',
  prev = 'prev',
  first = 'first',
  last = 'last',
  quickfix = 'quickfix',
  loclist = 'loclist',
  pick = 'pick',
  turn = 'turn',
  sessions = 'sessions',
  trace = 'trace',
  start = 'start',
  prompt = 'prompt',
  cancel = 'cancel',
  load = 'load',
  permissions = 'permissions',
  follow = 'follow',
  toggle = 'toggle',
  deleted = 'deleted',
  hover = 'hover',
  info = 'info',
  log = 'log',
  restart = 'restart',
  stop = 'stop',
}
for name, subcommand in pairs(plugs) do
  vim.keymap.set('n', '<Plug>(acp-lens-' .. name .. ')', function()
    require('acp_lens.command').execute(subcommand, vim.v.count1)
  end, { desc = 'acp-lens: ' .. subcommand })
end

local group = vim.api.nvim_create_augroup('acp_lens', {})

-- A buffer of a file starts the server, or joins it. This waits until the file is on the screen.
---@param buf integer
local function attach(buf)
  if vim.g.acp_lens_autostart == false then
    return
  end
  vim.schedule(function()
    if vim.api.nvim_buf_is_loaded(buf) then
      require('acp_lens.client').attach(buf)
    end
  end)
end
vim.api.nvim_create_autocmd({ 'BufReadPost', 'BufNewFile', 'BufWritePost' }, {
  group = group,
  callback = function(event)
    attach(event.buf)
  end,
})
-- A plugin manager may load this after the first files.
for _, buf in ipairs(vim.api.nvim_list_bufs()) do
  if vim.api.nvim_buf_is_loaded(buf) and vim.api.nvim_buf_get_name(buf) ~= '' then
    attach(buf)
  end
end

-- Both sides of a diff, and other texts that only the server has.
vim.api.nvim_create_autocmd('BufReadCmd', {
  group = group,
  pattern = 'acp-lens:*',
  callback = function(event)
    require('acp_lens.virtual').read(event.buf, event.match)
  end,
})

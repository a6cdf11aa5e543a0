--- Real Neovims in real terminals: each runs in a tmux of its own and is spoken to over its socket.
local M = {}

---@class test.Terminal
---@field server string name of the tmux server
---@field channel integer
local Terminal = {}
Terminal.__index = Terminal

local started = 0
---@type table<string, test.Terminal>
local running = {}

--- Starts a Neovim, and returns when it answers.
---@param options { cwd: string, width: integer, height: integer, init: string, arguments: string[], env?: string[] }
---@return test.Terminal
function M.start(options)
  started = started + 1
  local server = ('acp-lens-%d-%d'):format(vim.fn.getpid(), started)
  local socket = vim.fn.tempname()
  local command = { 'tmux', '-L', server, '-f', '/dev/null', 'new-session', '-d' }
  vim.list_extend(command, { '-x', tostring(options.width), '-y', tostring(options.height) })
  vim.list_extend(command, { '-c', options.cwd })
  for _, variable in ipairs(options.env or {}) do
    vim.list_extend(command, { '-e', variable })
  end
  vim.list_extend(command, { vim.v.progpath, '-u', options.init, '--listen', socket })
  vim.list_extend(command, options.arguments)
  local result = vim.system(command, { env = { TMUX = '' } }):wait(10000)
  assert(result.code == 0, result.stderr)
  local channel
  assert(
    vim.wait(10000, function()
      local ok, id = pcall(vim.fn.sockconnect, 'pipe', socket, { rpc = true })
      channel = ok and id
      return ok
    end, 1),
    'no Neovim came up'
  )
  local neovim = setmetatable({ server = server, channel = channel }, Terminal)
  running[server] = neovim
  neovim:eventually('its start', 'return vim.v.vim_did_enter == 1')
  return neovim
end

--- Runs Lua in that Neovim.
---@param code string
---@param ... any
---@return any
function Terminal:call(code, ...)
  return vim.rpcrequest(self.channel, 'nvim_exec_lua', code, { ... })
end

--- Types keys, as a person does.
---@param keys string
function Terminal:input(keys)
  vim.rpcrequest(self.channel, 'nvim_input', keys)
end

--- Waits until Lua code in that Neovim gives a value that is true.
---@param what string
---@param code string
---@return any
function Terminal:eventually(what, code)
  local value
  local ok = vim.wait(30000, function()
    value = self:call(code)
    return value and value ~= vim.NIL
  end, 5)
  assert(ok, ('timed out waiting for %s'):format(what))
  return value
end

---@param colours boolean with escape sequences for them
---@return string
function Terminal:capture(colours)
  local command = { 'tmux', '-L', self.server, 'capture-pane', '-p' }
  if colours then
    table.insert(command, '-e')
  end
  return vim.system(command):wait(5000).stdout
end

--- The screen, when it has come to rest.
---@return string
function Terminal:screen()
  self:call('vim.cmd.redraw()')
  local last, since = nil, vim.uv.now()
  assert(vim.wait(10000, function()
    local now = self:capture(false)
    if now ~= last then
      last, since = now, vim.uv.now()
    end
    return vim.uv.now() - since > 250
  end, 50))
  return last
end

function Terminal:stop()
  running[self.server] = nil
  pcall(vim.rpcnotify, self.channel, 'nvim_command', 'qall!')
  vim.system({ 'tmux', '-L', self.server, 'kill-server' }):wait(5000)
end

--- Ends all that run, after a failure.
function M.stop_all()
  for _, neovim in pairs(running) do
    neovim:stop()
  end
end

return M

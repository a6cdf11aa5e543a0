--- The connection to the server: starting it, joining buffers to it, asking it.
local protocol = require('acp_lens.protocol')

local M = {}

local NAME = 'acp_lens'

--- Crashes of the server within this span end the automatic restarts.
local CRASH_SPAN_MS = 60000
local MAX_CRASHES = 4

---@class acp_lens.WaitingRequest What was asked while the server started.
---@field ask fun()
---@field fail fun(message: string)

---@type { stopped: boolean, told: table<string, true>, crashes: integer[], restarting: boolean, waiting: acp_lens.WaitingRequest[] }
local state = { stopped = false, told = {}, crashes = {}, restarting = false, waiting = {} }

--- Says a thing once, until the next start that works.
---@param key string
---@param message string
local function tell_once(key, message)
  if not state.told[key] then
    state.told[key] = true
    require('acp_lens.log').warn(message)
  end
end

---@return vim.lsp.Client?
function M.get()
  for _, client in ipairs(vim.lsp.get_clients({ name = NAME })) do
    if not client:is_stopped() then
      return client
    end
  end
end

---@param buf integer
---@return boolean
local function is_file(buf)
  if vim.bo[buf].buftype ~= '' or not vim.api.nvim_buf_is_loaded(buf) then
    return false
  end
  local name = vim.api.nvim_buf_get_name(buf)
  return name ~= '' and not name:match('^%a[%w+.-]+:/')
end

---@param buf integer
---@return string
local function root_of(buf)
  -- Lists and windows of this plugin belong to no folder of their own.
  local path = is_file(buf) and vim.api.nvim_buf_get_name(buf) or ''
  local root = path ~= '' and require('acp_lens.config').get().root(path) or nil
  if root then
    return root
  end
  -- A file below the current directory belongs to it; one elsewhere to its own folder.
  local cwd = vim.fn.getcwd()
  if path == '' or vim.startswith(vim.fs.normalize(path), vim.fs.normalize(cwd) .. '/') then
    return cwd
  end
  return vim.fs.dirname(path)
end

---@return table<string, lsp.Handler>
local function handlers()
  local method = protocol.method
  local function feed(receive)
    return function(_, params)
      receive(protocol.clean(params))
    end
  end
  return {
    [method.didChangeActivity] = feed(function(params)
      require('acp_lens.store').on_activity(params)
    end),
    [method.didChangeSession] = feed(function(params)
      require('acp_lens.store').on_session(params)
    end),
    [method.didChangeHunks] = feed(function(params)
      local buf = require('acp_lens.store').buffer_of(params.uri)
      if buf and require('acp_lens.buffer').wants_text(buf) then
        -- The notification carries no texts.
        require('acp_lens.buffer').ask(buf)
      else
        require('acp_lens.store').on_hunks(params)
      end
    end),
    [method.didUpdateTimeline] = feed(function(params)
      require('acp_lens.store').on_timeline(params)
    end),
    ---@async
    [method.requestPermission] = function(_, params)
      return require('acp_lens.permission').ask(protocol.clean(params))
    end,
    ['workspace/codeLens/refresh'] = function()
      require('acp_lens.lens').refresh_all()
      return vim.NIL
    end,
    ['window/showDocument'] = function(_, params)
      return { success = require('acp_lens.follow').show(protocol.clean(params)) }
    end,
  }
end

---@return table<string, fun(command: lsp.Command, ctx: table)>
local function commands()
  local function argument(command)
    return command.arguments and protocol.clean(vim.deepcopy(command.arguments[1])) or {}
  end
  return {
    ['acpLens.showDiff'] = function(command)
      require('acp_lens.diff').of_hunk(argument(command))
    end,
    ['acpLens.nextChange'] = function(command)
      require('acp_lens.jump').from_hunk('next', argument(command))
    end,
    ['acpLens.previousChange'] = function(command)
      require('acp_lens.jump').from_hunk('previous', argument(command))
    end,
    ['acpLens.showChanges'] = function(command)
      require('acp_lens.changes').open(argument(command))
    end,
    ['acpLens.copyOldText'] = function(command)
      require('acp_lens.actions').copy_old_text(argument(command))
    end,
  }
end

---@param client vim.lsp.Client
local function check_version(client)
  local extension = vim.tbl_get(client.server_capabilities or {}, 'experimental', 'acpLens')
  local version = type(extension) == 'table' and extension.version or nil
  if version ~= protocol.VERSION then
    local binary = require('acp_lens.binary').find() or 'acp-lens'
    tell_once(
      'version',
      ('%s speaks protocol version %s, this plugin needs %d; update the older of the two'):format(
        binary,
        version or 'none',
        protocol.VERSION
      )
    )
    state.stopped = true
    vim.schedule(function()
      client:stop(true)
    end)
    return false
  end
  return true
end

--- What the server should start with. `vim.lsp.config('acp_lens', ...)` can add to it.
---@return vim.lsp.Config
function M.config()
  local capabilities = vim.lsp.protocol.make_client_capabilities()
  capabilities.experimental =
    vim.tbl_extend('force', (capabilities.experimental or {}) --[[@as table]], {
      acpLens = {
        version = protocol.VERSION,
        notifications = true,
        requestPermission = true,
        commands = true,
      },
    })
  capabilities.workspace = vim.tbl_extend('force', capabilities.workspace or {}, {
    codeLens = { refreshSupport = true },
  })
  return {
    name = NAME,
    capabilities = capabilities,
    cmd = function(dispatchers)
      local binary, why = require('acp_lens.binary').find()
      if not binary then
        error('acp-lens: ' .. why, 0)
      end
      return vim.lsp.rpc.start({ binary, 'lsp' }, dispatchers)
    end,
    init_options = require('acp_lens.config').server_settings(),
    handlers = handlers(),
    commands = commands(),
    root_dir = function(buf, found)
      local binary, why = require('acp_lens.binary').find()
      if not binary then
        tell_once('binary', why --[[@as string]])
      elseif is_file(buf) then
        found(root_of(buf))
      end
    end,
    reuse_client = function(client, config)
      return client.name == config.name and not client:is_stopped()
    end,
    on_init = function(client)
      if check_version(client) then
        state.told = {}
        require('acp_lens.store').reset()
        -- What was asked for while the server started is asked now.
        vim.schedule(function()
          local waiting = state.waiting
          state.waiting = {}
          for _, request in ipairs(waiting) do
            request.ask()
          end
        end)
      end
    end,
    on_attach = function(_, buf)
      require('acp_lens.buffer').attach(buf)
    end,
    on_exit = function(code, signal)
      vim.schedule(function()
        M.on_exit(code, signal)
      end)
    end,
  }
end

--- Tells a running server of another workspace folder.
---@param client vim.lsp.Client
---@param root string
local function add_root(client, root)
  local uri = vim.uri_from_fname(root)
  for _, folder in ipairs(client.workspace_folders or {}) do
    if uri == folder.uri or vim.startswith(uri, folder.uri .. '/') then
      return
    end
  end
  local folder = { uri = uri, name = vim.fs.basename(root) }
  client.workspace_folders = vim.list_extend(client.workspace_folders or {}, { folder })
  client:notify('workspace/didChangeWorkspaceFolders', {
    event = { added = { folder }, removed = {} },
  })
end

--- Joins a buffer of a file to a running server, and its folder to the server's folders.
---@param client vim.lsp.Client
---@param buf integer
local function join(client, buf)
  add_root(client, root_of(buf))
  vim.lsp.buf_attach_client(buf, client.id)
end

--- Starts the server if it does not run, and joins the buffer if it is one of a file.
---@param buf? integer
---@return vim.lsp.Client?
function M.attach(buf)
  if not buf or buf == 0 then
    buf = vim.api.nvim_get_current_buf()
  end
  local file = is_file(buf)
  local client = M.get()
  if client then
    if file then
      join(client, buf)
    end
    return client
  end
  if not file or state.stopped or not require('acp_lens.config').get().autostart then
    return nil
  end
  return M.start(buf)
end

--- Starts the server, whatever the option `autostart` says.
---@param buf? integer
---@return vim.lsp.Client?
function M.start(buf)
  local client = M.get()
  if client then
    return client
  end
  buf = buf or vim.api.nvim_get_current_buf()
  local binary, why = require('acp_lens.binary').find()
  if not binary then
    tell_once('binary', why --[[@as string]])
    return nil
  end
  state.stopped = false
  -- What a user put into `vim.lsp.config('acp_lens', ...)` counts here, too.
  local config = vim.tbl_deep_extend(
    'force',
    M.config(),
    (vim.lsp.config --[[@as table<string, table>]])[NAME] or {}
  )
  config.root_dir = root_of(buf)
  local id = vim.lsp.start(config, { bufnr = buf, attach = is_file(buf) })
  if not id then
    return nil
  end
  local started = vim.lsp.get_client_by_id(id)
  for _, other in ipairs(vim.api.nvim_list_bufs()) do
    if started and other ~= buf and is_file(other) then
      join(started, other)
    end
  end
  return started
end

--- Stops the server and keeps it stopped.
function M.stop()
  state.stopped = true
  local client = M.get()
  if client then
    client:stop()
  end
end

--- Starts the server afresh.
function M.restart()
  state.crashes = {}
  local client = M.get()
  if not client then
    return M.start()
  end
  state.restarting = true
  client:stop(true)
end

---@param code integer
---@param signal integer
function M.on_exit(code, signal)
  require('acp_lens.store').on_disconnect()
  local waiting = state.waiting
  state.waiting = {}
  for _, request in ipairs(waiting) do
    request.fail('the server ended before it could answer')
  end
  if state.restarting then
    state.restarting = false
    M.start()
    return
  end
  if state.stopped or vim.v.exiting ~= vim.NIL or (code == 0 and signal == 0) then
    return
  end
  local now = vim.uv.now()
  state.crashes = vim.tbl_filter(function(time)
    return now - time < CRASH_SPAN_MS
  end, state.crashes)
  table.insert(state.crashes, now)
  if #state.crashes > MAX_CRASHES then
    state.stopped = true
    require('acp_lens.log').error(
      ('the server ended %d times within a minute; see :AcpLens log, then :AcpLens restart'):format(
        #state.crashes
      )
    )
    return
  end
  require('acp_lens.log').warn(
    ('the server ended (status %d, signal %d) and is started again'):format(code, signal)
  )
  -- Each crash doubles the pause, so a server that cannot live does not burn the machine.
  vim.defer_fn(function()
    if not state.stopped and not M.get() then
      M.start()
    end
  end, math.floor(250 * 2 ^ (#state.crashes - 1)))
end

--- Sends the settings again, after an option changed.
function M.push_settings()
  local client = M.get()
  if client then
    client:notify('workspace/didChangeConfiguration', {
      settings = { acpLens = require('acp_lens.config').server_settings() },
    })
  end
end

--- Asks the server. An error is told to the person, unless `on_error` takes it.
---@param method string
---@param params table
---@param on_result fun(result: any)
---@param on_error? fun(message: string, kind: string?)
---@return boolean sent
function M.request(method, params, on_result, on_error)
  local client = M.get() or M.start()
  if not client then
    return false
  end
  on_error = on_error or function(message)
    require('acp_lens.log').warn(message)
  end
  if not client.initialized then
    table.insert(state.waiting, {
      ask = function()
        M.request(method, params, on_result, on_error)
      end,
      fail = on_error,
    })
    return true
  end
  return (
    client:request(method, next(params) and params or vim.empty_dict(), function(err, result)
      if err then
        on_error(err.message or 'the server gave no reason', vim.tbl_get(err, 'data', 'kind'))
      else
        on_result(protocol.clean(result))
      end
    end)
  )
end

--- The workspace folder that a new session gets: that of the current file.
---@return string
function M.root()
  return root_of(vim.api.nvim_get_current_buf())
end

--- The uri by which the server knows a buffer.
---@param buf integer
---@return string
function M.uri(buf)
  return vim.uri_from_bufnr(buf)
end

--- The encoding of characters in positions, as negotiated.
---@return 'utf-8'|'utf-16'|'utf-32'
function M.encoding()
  local client = M.get()
  return client and client.offset_encoding --[[@as 'utf-8'|'utf-16'|'utf-32']] or 'utf-16'
end

return M

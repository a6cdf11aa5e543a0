--- What the server last said: sessions, turns, files, hunks by buffer, timelines.
--- Nothing here asks or draws; whoever draws is told by `User AcpLensUpdate`.
local M = {}

---@class acp_lens.SessionEntry
---@field info acp_lens.Session
---@field turns table<string, acp_lens.Turn> by turn id
---@field files table<string, acp_lens.File> by relative path
---@field by_uri table<string, acp_lens.File>
---@field order string[] relative paths in order of first activity

---@class acp_lens.BufferHunks
---@field uri string
---@field version integer?
---@field hunks acp_lens.Hunk[]
---@field limit string?

---@class acp_lens.Timeline
---@field generation integer
---@field items table[] timeline items, the first at 1

---@type { revision: integer, sessions: table<string, acp_lens.SessionEntry>, order: string[] }
local state = { revision = 0, sessions = {}, order = {} }
---@type table<integer, acp_lens.BufferHunks>
local hunks = {}
---@type table<string, acp_lens.Timeline>
local timelines = {}
---@type string? the session that commands without a name mean
local current

---@param event string
---@param data? table
local function fire(event, data)
  vim.api.nvim_exec_autocmds('User', { pattern = event, modeline = false, data = data })
end

--- One event per turn of the event loop, however many messages came.
local pending = false
local function changed()
  if pending then
    return
  end
  pending = true
  vim.schedule(function()
    pending = false
    require('acp_lens.status').update_all()
    fire('AcpLensUpdate', { revision = state.revision })
  end)
end

---@param info acp_lens.Session
---@return acp_lens.SessionEntry
local function entry_of(info)
  local entry = state.sessions[info.session]
  if not entry then
    entry = { info = info, turns = {}, files = {}, by_uri = {}, order = {} }
    state.sessions[info.session] = entry
    table.insert(state.order, info.session)
  end
  return entry
end

---@param info acp_lens.Session
---@param known? acp_lens.SessionEntry what was known of the session before a reset
local function set_info(info, known)
  local entry = entry_of(info)
  local before = known and known.info or entry.info
  local told = before ~= info and before.error or nil
  entry.info = info
  -- A short turn can begin and end between two messages: then its number tells.
  local ended = before ~= info
    and (
      (before.state == 'prompting' and info.state ~= 'prompting')
      or (info.state == 'idle' and info.stopReason and info.turnCount > before.turnCount)
    )
  if ended then
    vim.schedule(function()
      fire('AcpLensTurnEnd', { session = info.session, stopReason = info.stopReason })
    end)
    if require('acp_lens.config').get().notify and info.state == 'idle' then
      local how = info.stopReason == 'cancelled' and 'was cancelled' or 'ended'
      require('acp_lens.log').info(('%s: the turn %s'):format(M.title(info), how))
    end
  end
  if info.error and info.error ~= told then
    require('acp_lens.log').error(('%s: %s'):format(M.title(info), info.error))
  end
  if info.source == 'host' and not current then
    current = info.session
  end
end

---@param params { revision: integer, reset: boolean, sessions: acp_lens.Session[], closed: string[], turns: acp_lens.Turn[], files: acp_lens.File[] }
function M.on_activity(params)
  local known = state.sessions
  if params.reset then
    state = { revision = 0, sessions = {}, order = {} }
  elseif params.revision <= state.revision then
    -- Messages can overtake each other; an older one has nothing new.
    return
  end
  state.revision = params.revision
  for _, info in ipairs(params.sessions or {}) do
    set_info(info, known[info.session])
  end
  for _, session in ipairs(params.closed or {}) do
    state.sessions[session] = nil
    timelines[session] = nil
    state.order = vim.tbl_filter(function(id)
      return id ~= session
    end, state.order)
    if current == session then
      current = nil
    end
  end
  for _, turn in ipairs(params.turns or {}) do
    local entry = state.sessions[turn.session]
    if entry then
      entry.turns[turn.turn] = turn
    end
  end
  for _, file in ipairs(params.files or {}) do
    local entry = state.sessions[file.session]
    if entry then
      local path = file.file.relativePath
      if not entry.files[path] then
        table.insert(entry.order, path)
      end
      entry.files[path] = file
      if file.uri then
        entry.by_uri[file.uri] = file
      end
      if known[file.session] and entry.info.source ~= 'trace' then
        require('acp_lens.disk').changed(file)
      end
    end
  end
  if current and not state.sessions[current] then
    current = nil
  end
  changed()
end

---@param info acp_lens.Session
function M.on_session(info)
  set_info(info)
  changed()
end

---@param params { uri: string, version: integer?, revision: integer, hunks: acp_lens.Hunk[], limit: string? }
function M.on_hunks(params)
  local buf = M.buffer_of(params.uri)
  if not buf then
    return
  end
  hunks[buf] = {
    uri = params.uri,
    version = params.version,
    hunks = params.hunks,
    limit = params.limit,
  }
  require('acp_lens.buffer').redraw(buf)
  changed()
end

---@param params { session: string, generation: integer, revision: integer, length: integer, items: table[] }
function M.on_timeline(params)
  local timeline = timelines[params.session]
  if not timeline or timeline.generation ~= params.generation then
    timeline = { generation = params.generation, items = {} }
    timelines[params.session] = timeline
  end
  local first = math.huge
  for _, item in ipairs(params.items) do
    timeline.items[item.index + 1] = item
    first = math.min(first, item.index + 1)
    if item.permission and item.permission.outcome then
      require('acp_lens.permission').settled(item.permission.question)
    end
  end
  fire('AcpLensTimeline', { session = params.session, first = first })
end

--- Forgets everything: a new server has its own ids.
function M.reset()
  state = { revision = 0, sessions = {}, order = {} }
  timelines = {}
  current = nil
  for buf in pairs(hunks) do
    hunks[buf] = nil
    require('acp_lens.buffer').clear(buf)
  end
end

--- The server is gone: what it placed is not true any more, what it listed may still be read.
function M.on_disconnect()
  for buf in pairs(hunks) do
    hunks[buf] = nil
    require('acp_lens.buffer').clear(buf)
  end
  for _, entry in pairs(state.sessions) do
    if entry.info.source ~= 'trace' then
      entry.info.state = 'disconnected'
    end
  end
  require('acp_lens.permission').drop_all()
  changed()
end

---@param buf integer
function M.forget_buffer(buf)
  hunks[buf] = nil
end

--- A loaded buffer of that uri, without making one.
---@param uri string
---@return integer?
function M.buffer_of(uri)
  local path = vim.uri_to_fname(uri)
  local buf = vim.fn.bufnr('^' .. vim.fn.escape(path, '\\*?[]{}^$,') .. '$')
  if buf > 0 and vim.api.nvim_buf_is_loaded(buf) then
    return buf
  end
  for _, other in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(other) and vim.api.nvim_buf_get_name(other) == path then
      return other
    end
  end
end

---@param buf integer
---@return acp_lens.BufferHunks?
function M.hunks(buf)
  return hunks[buf]
end

---@return integer
function M.revision()
  return state.revision
end

--- All sessions, in the order in which they became known.
---@return acp_lens.SessionEntry[]
function M.sessions()
  local list = {}
  for _, id in ipairs(state.order) do
    list[#list + 1] = state.sessions[id]
  end
  return list
end

---@param session string
---@return acp_lens.SessionEntry?
function M.session(session)
  return state.sessions[session]
end

---@param session string
---@return acp_lens.Timeline?
function M.timeline(session)
  return timelines[session]
end

--- The session that commands mean: the chosen one, else the newest.
---@return acp_lens.SessionEntry?
function M.current()
  return current and state.sessions[current] or state.sessions[state.order[#state.order]]
end

--- The session that can be prompted.
---@return acp_lens.SessionEntry?
function M.current_host()
  local entry = current and state.sessions[current]
  if entry and entry.info.source == 'host' then
    return entry
  end
  for index = #state.order, 1, -1 do
    local other = state.sessions[state.order[index]]
    if other.info.source == 'host' then
      return other
    end
  end
end

---@param session string
function M.choose(session)
  current = session
  changed()
end

---@param entry acp_lens.SessionEntry
---@return acp_lens.File[]
function M.files(entry)
  local list = {}
  for _, path in ipairs(entry.order) do
    list[#list + 1] = entry.files[path]
  end
  return list
end

---@param entry acp_lens.SessionEntry
---@return acp_lens.Turn[] turns by number
function M.turns(entry)
  local list = vim.tbl_values(entry.turns)
  table.sort(list, function(a, b)
    return a.number < b.number
  end)
  return list
end

--- What a person calls a session.
---@param info acp_lens.Session
---@return string
function M.title(info)
  local agent = info.agent and info.agent.name or 'agent'
  if info.title and info.title ~= '' then
    return ('%s: %s'):format(agent, info.title)
  end
  return agent
end

return M

--- Sessions: starting and loading one, prompting and cancelling it, choosing one of several.
local protocol = require('acp_lens.protocol')

local M = {}

--- Opens the window of a session.
---@param session string
---@param focus? boolean
local function open(session, focus)
  require('acp_lens.session_window').open(session, focus)
end

--- Remembers where the person is, and tells later whether they are still there: an answer that
--- comes late must not take the focus from somebody who went on.
---@return fun(): boolean
local function still_here()
  local win, tick = vim.api.nvim_get_current_win(), vim.b.changedtick
  return function()
    return vim.api.nvim_get_current_win() == win
      and vim.b.changedtick == tick
      and vim.api.nvim_get_mode().mode == 'n'
  end
end

---@param session string
---@param text string
---@param on_failure? fun()
function M.send(session, text, on_failure)
  local sent = require('acp_lens.client').request(
    protocol.method.sessionPrompt,
    { session = session, text = text, files = {} },
    function() end,
    function(message)
      require('acp_lens.log').warn(message)
      if on_failure then
        on_failure()
      end
    end
  )
  if not sent and on_failure then
    on_failure()
  end
end

---@param session string
function M.cancel(session)
  require('acp_lens.client').request(
    protocol.method.sessionCancel,
    { session = session },
    function() end
  )
end

---@param agent string
---@param on_open? fun(session: string)
local function start(agent, on_open)
  local here = still_here()
  require('acp_lens.client').request(protocol.method.sessionNew, {
    agent = agent,
    workspaceRoot = require('acp_lens.client').root(),
    executionCwd = vim.NIL,
  }, function(result)
    require('acp_lens.store').on_session(result.session)
    open(result.session.session, here())
    if on_open then
      on_open(result.session.session)
    end
  end)
end

--- Lets the person choose an agent, unless it is named or the only one.
---@param name? string
---@param on_agent fun(name: string)
local function with_agent(name, on_agent)
  if name and name ~= '' then
    on_agent(name)
    return
  end
  require('acp_lens.client').request(protocol.method.agents, {}, function(result)
    -- The built-in agent plays a script in the demo's project, and nothing anywhere else.
    local agents = vim.tbl_filter(function(agent)
      return agent.origin ~= 'builtin'
    end, result.agents)
    if #agents == 0 then
      require('acp_lens.log').warn(
        'no agent was found; put one on your PATH, or name its command in the option `agents` '
          .. '(`:AcpLens start demo` plays a script in the project that `acp-lens demo --keep` makes)'
      )
    elseif #agents == 1 then
      on_agent(agents[1].name)
    else
      vim.ui.select(agents, {
        prompt = 'Agent',
        kind = 'acp_lens_agent',
        format_item = function(agent)
          return ('%s  (%s)'):format(agent.name, table.concat(agent.command, ' '))
        end,
      }, function(agent)
        if agent then
          on_agent(agent.name)
        end
      end)
    end
  end)
end

--- Starts a session with an agent.
---@param name? string
function M.start(name)
  with_agent(name, start)
end

--- Sends a prompt to the current session, or opens the place to write one.
---@param text? string
function M.prompt(text)
  local entry = require('acp_lens.store').current_host()
  local function go(session)
    if text and text ~= '' then
      M.send(session, text)
    else
      open(session)
      require('acp_lens.session_window').focus_prompt(session)
    end
  end
  if entry then
    go(entry.info.session)
  else
    with_agent(nil, function(agent)
      start(agent, go)
    end)
  end
end

--- Loads an earlier session of an agent.
---@param name? string
function M.load(name)
  with_agent(name, function(agent)
    local root = require('acp_lens.client').root()
    local function load(id)
      local here = still_here()
      require('acp_lens.client').request(
        protocol.method.sessionLoad,
        { agent = agent, sessionId = id, workspaceRoot = root, executionCwd = vim.NIL },
        function(result)
          require('acp_lens.store').on_session(result.session)
          open(result.session.session, here())
        end
      )
    end
    require('acp_lens.client').request(
      protocol.method.sessionList,
      { agent = agent, executionCwd = root },
      function(result)
        if not result.supported then
          vim.ui.input({ prompt = 'Session id: ' }, function(id)
            if id and id ~= '' then
              load(id)
            end
          end)
        elseif #result.sessions == 0 then
          require('acp_lens.log').info(('%s has no earlier session here'):format(agent))
        else
          vim.ui.select(result.sessions, {
            prompt = 'Session',
            kind = 'acp_lens_session',
            format_item = function(session)
              return ('%s  %s'):format(session.title or session.sessionId, session.updatedAt or '')
            end,
          }, function(session)
            if session then
              load(session.sessionId)
            end
          end)
        end
      end
    )
  end)
end

--- Lets the person choose a session: a live one opens its window, a recorded one its changes.
function M.select()
  local store = require('acp_lens.store')
  local entries = store.sessions()
  if #entries == 0 then
    require('acp_lens.log').info('there is no session; :AcpLens start or :AcpLens trace FILE')
    return
  end
  vim.ui.select(entries, {
    prompt = 'Session',
    kind = 'acp_lens_session',
    format_item = function(entry)
      return ('%s  (%s, %s, %s)'):format(
        store.title(entry.info),
        entry.info.source,
        entry.info.state,
        protocol.plural(entry.info.uniqueFileCount, 'file')
      )
    end,
  }, function(entry)
    if entry then
      open(entry.info.session)
    end
  end)
end

return M

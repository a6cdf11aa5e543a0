--- Questions of agents that wait for an answer. Nothing opens by itself: a message says that one
--- waits, and `:AcpLens permissions` or a key in the session window answers it.
local protocol = require('acp_lens.protocol')

local M = {}

---@class acp_lens.Waiting
---@field question acp_lens.Question
---@field thread thread

---@type acp_lens.Waiting[]
local waiting = {}

--- What the calls of open questions are about to do to files, by the question's id and the path.
---@type table<string, table<string, acp_lens.Action>>
local actions = {}

--- The files of a question with their action, `D notes.txt`, as far as the agent named them.
---@param question acp_lens.Question
---@return { text: string, uri: string?, line: integer? }[]
function M.files(question)
  local known = actions[question.permission] or {}
  local files, seen = {}, {}
  local function add(path, action, file)
    local letter = protocol.letter[action] or ' '
    files[#files + 1] = { text = letter .. ' ' .. path, uri = file.uri, line = file.line }
    seen[path] = true
  end
  for _, file in ipairs(question.files or {}) do
    add(file.path, known[file.path] or file.action, file)
  end
  -- A payload may touch files that the question does not name.
  for path, action in vim.spairs(known) do
    if not seen[path] then
      add(path, action, {})
    end
  end
  return files
end

--- Asks the server what the call of a question would do, and draws the question again.
---@param question acp_lens.Question
local function learn_actions(question)
  require('acp_lens.client').request(
    protocol.method.changes,
    { session = question.session, turn = vim.NIL },
    function(result)
      local known = {} ---@type table<string, acp_lens.Action>
      for _, session in ipairs(result.sessions or {}) do
        for _, change in ipairs(session.requested or {}) do
          if change.open and change.toolCall == question.toolCall then
            known[change.relativePath] = change.action
          end
        end
      end
      if next(known) and M.waits(question) then
        actions[question.permission] = known
        vim.api.nvim_exec_autocmds('User', {
          pattern = 'AcpLensTimeline',
          modeline = false,
          data = { session = question.session, first = 1 },
        })
      end
    end
  )
end

---@param entry acp_lens.Waiting
---@param outcome table
local function answer(entry, outcome)
  for index, other in ipairs(waiting) do
    if other == entry then
      table.remove(waiting, index)
      actions[entry.question.permission] = nil
      local ok, why = coroutine.resume(entry.thread, outcome)
      if not ok then
        require('acp_lens.log').error(tostring(why))
      end
      vim.api.nvim_exec_autocmds('User', { pattern = 'AcpLensUpdate', modeline = false })
      return
    end
  end
end

--- Answers `acpLens/requestPermission`, when the person has decided. Runs in a coroutine of the
--- client, which sends the answer when it goes on.
---@async
---@param question acp_lens.Question
---@return table
function M.ask(question)
  local entry = { question = question, thread = coroutine.running() }
  table.insert(waiting, entry)
  learn_actions(question)
  if require('acp_lens.config').get().notify then
    require('acp_lens.log').call(
      (':AcpLens permissions answers what the agent asks: %s'):format(question.title)
    )
  end
  vim.api.nvim_exec_autocmds('User', {
    pattern = 'AcpLensPermission',
    modeline = false,
    data = { session = question.session, permission = question.permission },
  })
  return coroutine.yield()
end

--- Whether a question waits for its answer.
---@param question acp_lens.Question
---@return boolean
function M.waits(question)
  for _, entry in ipairs(waiting) do
    if entry.question.permission == question.permission then
      return true
    end
  end
  return false
end

---@return integer
function M.count()
  return #waiting
end

--- The first question of a session that waits.
---@param session string
---@return acp_lens.Question?
function M.of(session)
  for _, entry in ipairs(waiting) do
    if entry.question.session == session then
      return entry.question
    end
  end
end

--- Takes an option of a question.
---@param question acp_lens.Question
---@param option_id string
function M.choose(question, option_id)
  for _, entry in ipairs(waiting) do
    if entry.question.permission == question.permission then
      answer(entry, { outcome = 'selected', optionId = option_id })
      return
    end
  end
  require('acp_lens.client').request(protocol.method.sessionRespondPermission, {
    session = question.session,
    permission = question.permission,
    outcome = 'selected',
    optionId = option_id,
  }, function() end)
end

--- A question was answered elsewhere, or the agent does not wait any more.
---@param question acp_lens.Question
function M.settled(question)
  for _, entry in ipairs(waiting) do
    if entry.question.permission == question.permission then
      answer(entry, { outcome = 'cancelled' })
      return
    end
  end
end

--- The server is gone, and the questions with it.
function M.drop_all()
  waiting, actions = {}, {}
end

--- What an agent asks, in one line: the title, the command or reason, the files.
---@param question acp_lens.Question
---@return string
function M.describe(question)
  local parts = { question.title }
  if question.detail then
    parts[#parts + 1] = (question.detail:gsub('%s+', ' '))
  end
  local files = vim.tbl_map(function(file)
    return vim.trim(file.text)
  end, M.files(question))
  if #files > 0 then
    parts[#parts + 1] = table.concat(files, ', ')
  end
  return table.concat(parts, ': ')
end

--- Lets the person choose among the options of the oldest question.
function M.select()
  local entry = waiting[1]
  if not entry then
    require('acp_lens.log').info('no agent asks for anything')
    return
  end
  vim.ui.select(entry.question.options, {
    prompt = M.describe(entry.question),
    kind = 'acp_lens_permission',
    format_item = function(option)
      return option.name
    end,
  }, function(option)
    if option then
      M.choose(entry.question, option.optionId)
    end
  end)
end

return M

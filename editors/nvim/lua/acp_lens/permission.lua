--- Questions of agents that wait for an answer. Nothing opens by itself: a message says that one
--- waits, and `:AcpLens permissions` or a key in the session window answers it.
local M = {}

---@class acp_lens.Waiting
---@field question acp_lens.Question
---@field thread thread

---@type acp_lens.Waiting[]
local waiting = {}

---@param entry acp_lens.Waiting
---@param outcome table
local function answer(entry, outcome)
  for index, other in ipairs(waiting) do
    if other == entry then
      table.remove(waiting, index)
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
  require('acp_lens.client').request(require('acp_lens.protocol').method.sessionRespondPermission, {
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
  waiting = {}
end

--- Lets the person choose among the options of the oldest question.
function M.select()
  local entry = waiting[1]
  if not entry then
    require('acp_lens.log').info('no agent asks for anything')
    return
  end
  vim.ui.select(entry.question.options, {
    prompt = entry.question.title,
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

--- The text of a session's timeline. Pure: items in, lines with groups and folds out.
local protocol = require('acp_lens.protocol')

local M = {}

---@class acp_lens.TimelineLine
---@field text string
---@field spans { [1]: integer, [2]: integer, [3]: string }[]
---@field fold boolean belongs to a part that is folded at first
---@field item integer index of the timeline item, from 1
---@field file? { uri: string, line: integer? }
---@field question? acp_lens.Question

---@class acp_lens.TimelineView
---@field live boolean the turn of the item goes on, so what has not ended runs
---@field files fun(question: acp_lens.Question): { text: string, uri: string?, line: integer? }[]

local STATUS = {
  pending = { '·', 'AcpLensHint' },
  running = { '…', 'AcpLensRunning' },
  completed = { '✓', 'AcpLensDone' },
  failed = { '✗', 'AcpLensFailed' },
}

--- Of a call whose turn is over: it was cancelled, or its agent ended.
local STOPPED = { '–', 'AcpLensHint' }

local PLAN = { pending = '[ ]', in_progress = '[~]', completed = '[x]' }

---@param lines acp_lens.TimelineLine[]
---@param item integer
---@param text string
---@param group? string
---@param extra? table
local function push(lines, item, text, group, extra)
  text = text:gsub('\r', '')
  local line = vim.tbl_extend('force', {
    text = text,
    spans = group and { { 0, #text, group } } or {},
    fold = false,
    item = item,
  }, extra or {})
  lines[#lines + 1] = line --[[@as acp_lens.TimelineLine]]
end

---@param lines acp_lens.TimelineLine[]
---@param item integer
---@param text string
---@param indent string
---@param group? string
---@param fold? boolean
local function push_text(lines, item, text, indent, group, fold)
  for _, line in ipairs(vim.split(text:gsub('\n+$', ''), '\n', { plain = true })) do
    push(lines, item, indent .. line, group, { fold = fold or false })
  end
end

---@param lines acp_lens.TimelineLine[]
---@param index integer
---@param item table
---@param view acp_lens.TimelineView
local function tool_call(lines, index, item, view)
  local mark = STATUS[item.status] or STATUS.pending
  if not view.live and (item.status == 'pending' or item.status == 'running') then
    mark = STOPPED
  end
  local text = ('%s %s'):format(mark[1], (item.title or item.toolCall):gsub('[\r\n]+', ' '))
  push(lines, index, text, nil, {
    spans = { { 0, #mark[1], mark[2] }, { #mark[1] + 1, #text, 'AcpLensTool' } },
  })
  for _, file in ipairs(item.files or {}) do
    local letter = file.action and protocol.letter[file.action] or ' '
    local counts = file.action and '  ' .. protocol.counts(file.added, file.removed) or ''
    push(lines, index, ('    %s %s%s'):format(letter, file.path, counts), nil, {
      file = file.uri and { uri = file.uri, line = file.line } or nil,
    })
  end
  local permission = item.permission
  if permission and permission.question and not permission.outcome then
    push(lines, index, '  ? ' .. permission.question.title, 'AcpLensQuestion', {
      question = permission.question,
    })
    if permission.question.detail then
      push_text(lines, index, permission.question.detail, '    ', 'AcpLensHint')
    end
    for _, file in ipairs(view.files(permission.question)) do
      push(lines, index, '    ' .. file.text, nil, {
        question = permission.question,
        file = file.uri and { uri = file.uri, line = file.line } or nil,
      })
    end
    for number, option in ipairs(permission.question.options) do
      push(lines, index, ('    %d  %s'):format(number, option.name), 'AcpLensQuestion', {
        question = permission.question,
      })
    end
  elseif permission and permission.outcome then
    local chosen = permission.outcome.outcome
    for _, option in ipairs(permission.question and permission.question.options or {}) do
      if option.optionId == permission.outcome.optionId then
        chosen = option.name
      end
    end
    push(lines, index, '    answered: ' .. chosen, 'AcpLensHint')
  end
  if item.text and item.text ~= '' then
    -- What went wrong is read at once; what worked is folded away.
    push_text(lines, index, item.text, '    ', 'AcpLensHint', item.status ~= 'failed')
  end
end

--- Milliseconds as people say them: `0.4 s`, `12 s`, `1 min 5 s`.
---@param ms integer
---@return string
function M.duration(ms)
  if ms < 9950 then
    return ('%.1f s'):format(ms / 1000)
  end
  local seconds = math.floor(ms / 1000 + 0.5)
  if seconds < 60 then
    return ('%d s'):format(seconds)
  end
  return ('%d min %d s'):format(math.floor(seconds / 60), seconds % 60)
end

--- The lines of one item.
---@param index integer from 1
---@param item table
---@param view acp_lens.TimelineView
---@return acp_lens.TimelineLine[]
function M.item(index, item, view)
  local lines = {} ---@type acp_lens.TimelineLine[]
  if item.type == 'message' then
    if item.role == 'user' then
      if index > 1 then
        push(lines, index, '')
      end
      push_text(lines, index, item.text or '', '> ', 'AcpLensUser')
      if item.durationMs then
        push(lines, index, '  took ' .. M.duration(item.durationMs), 'AcpLensHint')
      end
      push(lines, index, '')
    else
      push_text(lines, index, item.text or '', '')
    end
    for _, part in ipairs(item.parts or {}) do
      push(lines, index, ('[%s]'):format(part), 'AcpLensHint')
    end
  elseif item.type == 'thought' then
    push(lines, index, 'thought', 'AcpLensThought')
    push_text(lines, index, item.text or '', '  ', 'AcpLensThought', true)
  elseif item.type == 'toolCall' then
    tool_call(lines, index, item, view)
  elseif item.type == 'plan' then
    push(lines, index, 'plan', 'AcpLensTurn')
    for _, entry in ipairs(item.entries or {}) do
      push(lines, index, ('  %s %s'):format(PLAN[entry.status] or '[ ]', entry.content))
    end
  end
  return lines
end

return M

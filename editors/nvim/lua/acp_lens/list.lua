--- Quickfix and location lists: one entry per hunk.
local protocol = require('acp_lens.protocol')

local M = {}

---@class acp_lens.ListFilter
---@field session? string
---@field turn? string
---@field uri? string

---@class acp_lens.ListItem
---@field file acp_lens.PlacedFile
---@field hunk? acp_lens.Hunk
---@field text string
---@field lnum integer? from 1; nil for what stands nowhere
---@field end_lnum integer?

---@param entry acp_lens.SessionEntry
---@param file acp_lens.File
---@param filter acp_lens.ListFilter
---@return boolean
local function wanted(entry, file, filter)
  if not file.uri then
    return false
  end
  if filter.session and entry.info.session ~= filter.session then
    return false
  end
  if filter.uri and file.uri ~= filter.uri then
    return false
  end
  if not filter.turn then
    return true
  end
  for _, turn in ipairs(file.turns) do
    if turn.turn == filter.turn then
      return true
    end
  end
  return false
end

---@param hunk acp_lens.Hunk
---@return string
local function describe(hunk)
  local parts = {
    hunk.agent or 'agent',
    ('turn %d'):format(hunk.turnNumber),
    protocol.counts(hunk.added, hunk.removed),
  }
  if hunk.state ~= 'inPlace' then
    local words = { edited = 'edited since', notFound = 'not found', deleted = 'lines deleted' }
    parts[#parts + 1] = words[hunk.state] or hunk.state
  end
  if hunk.reason then
    parts[#parts + 1] = hunk.reason
  end
  return table.concat(parts, '  ')
end

---@param file acp_lens.PlacedFile
---@param hunks acp_lens.Hunk[]
---@param filter acp_lens.ListFilter
---@return acp_lens.ListItem[]
local function items_of(file, hunks, filter)
  local items = {}
  for _, hunk in ipairs(hunks) do
    local fits = (not filter.session or hunk.session == filter.session)
      and (not filter.turn or hunk.turn == filter.turn)
    -- A created file is one change at its first line: it is all new.
    local line = hunk.range and hunk.range.start.line or (hunk.state == 'inPlace' and 0 or nil)
    if fits then
      items[#items + 1] = {
        file = file,
        hunk = hunk,
        text = describe(hunk),
        lnum = line and line + 1,
        end_lnum = hunk.range and math.max(hunk.range.start.line + 1, hunk.range['end'].line)
          or nil,
      }
    end
  end
  if #items == 0 then
    -- A deleted file stands nowhere.
    local turn = file.turns[#file.turns]
    items[1] = {
      file = file,
      text = ('turn %d  %s  %s'):format(
        turn and turn.number or 0,
        protocol.counts(file.added, file.removed),
        file.action == 'deleted' and 'file deleted' or file.action
      ),
      lnum = file.action ~= 'deleted' and 1 or nil,
    }
  end
  return items
end

--- Collects the hunks of all changed files, asking the server for each file once.
---@param filter acp_lens.ListFilter
---@param on_done fun(items: acp_lens.ListItem[])
function M.collect(filter, on_done)
  local store = require('acp_lens.store')
  local files, seen = {}, {} ---@type acp_lens.PlacedFile[], table<string, true>
  for _, entry in ipairs(store.sessions()) do
    for _, file in ipairs(store.files(entry)) do
      if wanted(entry, file, filter) and not seen[file.uri] then
        ---@cast file acp_lens.PlacedFile
        seen[file.uri] = true
        files[#files + 1] = file
      end
    end
  end
  local results, open = {}, #files
  local function finish()
    local items = {}
    for index in ipairs(files) do
      vim.list_extend(items, results[index] or {})
    end
    on_done(items)
  end
  if open == 0 then
    return finish()
  end
  for index, file in ipairs(files) do
    local function done(hunks)
      results[index] = items_of(file, hunks, filter)
      open = open - 1
      if open == 0 then
        finish()
      end
    end
    local sent = require('acp_lens.client').request(
      protocol.method.hunks,
      { uri = file.uri, withText = false },
      function(result)
        done(result.hunks)
      end,
      function()
        done({})
      end
    )
    if not sent then
      return
    end
  end
end

---@param item acp_lens.ListItem
---@return table
local function quickfix_item(item)
  local name = vim.uri_to_fname(item.file.uri)
  return {
    filename = name,
    lnum = item.lnum or 0,
    end_lnum = item.end_lnum,
    col = item.lnum and 1 or 0,
    text = item.text,
    type = protocol.letter[item.file.action],
    valid = item.lnum and 1 or 0,
  }
end

---@param filter acp_lens.ListFilter
---@param title string
---@param put fun(list: table)
---@param open string
local function fill(filter, title, put, open)
  M.collect(filter, function(items)
    if #items == 0 then
      require('acp_lens.log').info('no agent changed anything here')
      return
    end
    put({ title = title, items = vim.tbl_map(quickfix_item, items) })
    vim.cmd(open)
  end)
end

---@param filter? acp_lens.ListFilter
---@param title? string
function M.quickfix(filter, title)
  fill(filter or {}, title or 'Agent changes', function(list)
    vim.fn.setqflist({}, ' ', list)
  end, 'botright copen')
end

--- The location list of the current window: the hunks of its buffer.
function M.loclist()
  local win = vim.api.nvim_get_current_win()
  local uri = require('acp_lens.client').uri(vim.api.nvim_win_get_buf(win))
  fill({ uri = uri }, 'Agent changes in this file', function(list)
    vim.fn.setloclist(win, {}, ' ', list)
  end, 'lopen')
end

--- The hunks of a turn: the n-th of the current session, or its last.
---@param number? integer
function M.turn(number)
  local store = require('acp_lens.store')
  local entry = store.current()
  local turns = entry and store.turns(entry) or {}
  local turn
  if number then
    for _, candidate in ipairs(turns) do
      if candidate.number == number then
        turn = candidate
      end
    end
  else
    for _, candidate in ipairs(turns) do
      if candidate.files > 0 then
        turn = candidate
      end
    end
  end
  if not entry or not turn then
    require('acp_lens.log').info(
      number and ('there is no turn %d'):format(number) or 'no turn changed anything'
    )
    return
  end
  M.quickfix(
    { session = entry.info.session, turn = turn.turn },
    ('Agent changes of turn %d'):format(turn.number)
  )
end

return M

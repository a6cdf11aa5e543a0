--- The text of the changes buffer, from what the store knows. Pure: no buffer, no window.
local protocol = require('acp_lens.protocol')

local M = {}

---@class acp_lens.Row
---@field text string
---@field spans { [1]: integer, [2]: integer, [3]: string }[] byte columns from 0, end exclusive, group
---@field kind 'session'|'turn'|'file'|'notice'|'text'
---@field level integer fold level
---@field session? string
---@field turn? string
---@field file? acp_lens.File
---@field key? string identity, so that the cursor finds its row again

---@class acp_lens.RowBuilder
---@field text string
---@field spans table
local Builder = {}
Builder.__index = Builder

---@return acp_lens.RowBuilder
local function build()
  return setmetatable({ text = '', spans = {} }, Builder)
end

---@param text string
---@param group? string
function Builder:add(text, group)
  local from = #self.text
  self.text = self.text .. text:gsub('[\r\n]+', ' ')
  if group then
    self.spans[#self.spans + 1] = { from, #self.text, group }
  end
  return self
end

---@param row table
---@return acp_lens.Row
function Builder:row(row)
  row.text = self.text
  row.spans = self.spans
  return row
end

local GROUP = {
  created = 'AcpLensAdded',
  modified = 'AcpLensModified',
  deleted = 'AcpLensDeleted',
  moved = 'AcpLensModified',
}

--- `+3 -1` with each number in its colour.
---@param builder acp_lens.RowBuilder
---@param added integer?
---@param removed integer?
local function counts(builder, added, removed)
  if added == nil and removed == nil then
    builder:add('not counted', 'AcpLensHint')
    return
  end
  builder:add('+' .. (added or '?'), 'AcpLensAdded')
  builder:add(' ')
  builder:add('-' .. (removed or '?'), 'AcpLensDeleted')
end

--- The counts in a column of their own: they stay in sight when a path is cut, and paths line up.
---@param builder acp_lens.RowBuilder
---@param added integer?
---@param removed integer?
local function count_column(builder, added, removed)
  if added == nil and removed == nil then
    builder:add(' not counted  ', 'AcpLensHint')
    return
  end
  local plus, minus = '+' .. (added or '?'), '-' .. (removed or '?')
  builder:add((' '):rep(6 - #plus) .. plus, 'AcpLensAdded')
  builder:add((' '):rep(6 - #minus) .. minus, 'AcpLensDeleted')
  builder:add('  ')
end

---@param path string
---@return string folder with its slash, or ''
---@return string name
local function split(path)
  local folder, name = path:match('^(.*/)([^/]+)$')
  return folder or '', name or path
end

---@param file acp_lens.File
---@param of { action: acp_lens.Action, added: integer?, removed: integer? }
---@param indent string
---@param icon? fun(name: string): string?, string?
---@return acp_lens.RowBuilder
local function file_row(file, of, indent, icon)
  local folder, name = split(file.file.relativePath)
  local builder = build():add(indent)
  builder:add(protocol.letter[of.action] or '?', GROUP[of.action])
  count_column(builder, of.added, of.removed)
  local glyph, glyph_group = nil, nil
  if icon then
    glyph, glyph_group = icon(name)
  end
  if glyph then
    builder:add(glyph .. ' ', glyph_group)
  end
  builder:add(name)
  if folder ~= '' then
    builder:add('  ' .. folder, 'AcpLensFolder')
  end
  if file.fromPath then
    builder:add('  from ' .. file.fromPath, 'AcpLensHint')
  end
  if file.doubt then
    builder:add('  doubtful: ' .. file.doubt, 'AcpLensNotice')
  end
  return builder
end

---@param notices acp_lens.Notice[]?
---@param indent string
---@param level integer
---@param rows acp_lens.Row[]
---@param session string
local function notice_rows(notices, indent, level, rows, session)
  for _, notice in ipairs(notices or {}) do
    rows[#rows + 1] = build()
      :add(indent)
      :add('! ' .. notice.message, 'AcpLensNotice')
      :row({ kind = 'notice', level = level, session = session })
  end
end

--- The files of each turn, with what the turn did to them, in the order in which it did.
---@param files acp_lens.File[]
---@return table<string, { file: acp_lens.File, part: acp_lens.FileTurn }[]>
local function parts_by_turn(files)
  local parts = {}
  for _, file in ipairs(files) do
    for _, part in ipairs(file.turns) do
      parts[part.turn] = parts[part.turn] or {}
      table.insert(parts[part.turn], { file = file, part = part })
    end
  end
  for _, of_turn in pairs(parts) do
    table.sort(of_turn, function(a, b)
      return a.part.sequence < b.part.sequence
    end)
  end
  return parts
end

---@param info acp_lens.Session
---@return string
local function headline(info)
  local agent = info.agent and info.agent.name or 'agent'
  if info.title and info.title ~= '' then
    return agent .. ': ' .. info.title
  end
  return agent
end

---@class acp_lens.ChangesView
---@field mode 'turn'|'file'
---@field session? string show this session alone
---@field icon? fun(name: string): string?, string?

--- The rows of the changes buffer.
---@param entries { info: acp_lens.Session, turns: acp_lens.Turn[], files: acp_lens.File[] }[]
---@param view acp_lens.ChangesView
---@return acp_lens.Row[]
function M.rows(entries, view)
  local rows = {} ---@type acp_lens.Row[]
  for _, entry in ipairs(entries) do
    local info = entry.info
    if not view.session or view.session == info.session then
      local builder = build():add(headline(info), 'AcpLensSession')
      if info.state == 'prompting' then
        builder:add('  working', 'AcpLensRunning')
      elseif info.state == 'disconnected' then
        builder:add('  disconnected', 'AcpLensFailed')
      elseif info.state ~= 'idle' then
        builder:add('  ' .. info.state, 'AcpLensRunning')
      end
      builder:add('  ' .. protocol.plural(#entry.files, 'file') .. '  ', 'AcpLensHint')
      counts(builder, info.added, info.removed)
      rows[#rows + 1] = builder:row({
        kind = 'session',
        level = 1,
        session = info.session,
        key = info.session,
      })
      notice_rows(info.notices, '  ', 1, rows, info.session)
      if info.error then
        rows[#rows + 1] = build()
          :add('  ' .. info.error, 'AcpLensFailed')
          :row({ kind = 'notice', level = 1, session = info.session })
      end
      local by_turn = view.mode == 'turn' and parts_by_turn(entry.files) or {}
      if view.mode == 'file' then
        for _, file in ipairs(entry.files) do
          rows[#rows + 1] = file_row(file, file, '  ', view.icon):row({
            kind = 'file',
            level = 2,
            session = info.session,
            file = file,
            key = info.session .. '\0' .. file.file.relativePath,
          })
          for _, turn in ipairs(file.turns) do
            local line = build():add('   ')
            count_column(line, turn.added, turn.removed)
            line:add(('turn %d'):format(turn.number), 'AcpLensTurn')
            rows[#rows + 1] = line:row({
              kind = 'turn',
              level = 3,
              session = info.session,
              turn = turn.turn,
              file = file,
              key = info.session .. '\0' .. file.file.relativePath .. '\0' .. turn.turn,
            })
          end
        end
      else
        for _, turn in ipairs(entry.turns) do
          if turn.files > 0 or #(turn.notices or {}) > 0 then
            local line = build():add(('  Turn %d'):format(turn.number), 'AcpLensTurn')
            if turn.files > 0 then
              line:add('  ')
              counts(line, turn.added, turn.removed)
            end
            if turn.prompt and turn.prompt ~= '' then
              line:add('  ' .. turn.prompt)
            end
            rows[#rows + 1] = line:row({
              kind = 'turn',
              level = 2,
              session = info.session,
              turn = turn.turn,
              key = info.session .. '\0' .. turn.turn,
            })
            notice_rows(turn.notices, '    ', 2, rows, info.session)
            for _, each in ipairs(by_turn[turn.turn] or {}) do
              rows[#rows + 1] = file_row(each.file, each.part, '    ', view.icon):row({
                kind = 'file',
                level = 3,
                session = info.session,
                turn = turn.turn,
                file = each.file,
                key = info.session .. '\0' .. turn.turn .. '\0' .. each.file.file.relativePath,
              })
            end
          end
        end
      end
    end
  end
  if #rows == 0 then
    for _, line in ipairs({
      'No agent has changed anything yet.',
      '',
      'An agent runs in another client:   put `acp-lens tap --` before its command there',
      'To run one from here:              :AcpLens start',
      'To look at a recorded session:     :AcpLens trace FILE',
    }) do
      rows[#rows + 1] = build():add(line, 'AcpLensHint'):row({ kind = 'text', level = 0 })
    end
  end
  return rows
end

return M

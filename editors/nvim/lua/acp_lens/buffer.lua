--- What is drawn in a buffer: signs, line highlights, deleted text. One namespace for all of it.
---
--- Extmarks move with the text by themselves. A mark is written only where something differs from
--- what was drawn before, so that typing in a file with a thousand hunks costs nothing here.
local M = {}

local NAMESPACE = vim.api.nvim_create_namespace('acp_lens')

M.namespace = NAMESPACE

---@class acp_lens.PlacedHunk: acp_lens.Hunk One that stands in the text.
---@field range lsp.Range

---@class acp_lens.Drawn
---@field mark integer id of the extmark at the hunk's first line
---@field key string what it looked like and how many lines it had

---@type table<integer, table<string, acp_lens.Drawn>> buffer, then hunk id
local drawn = {}
---@type table<integer, boolean> buffers in which the person asked for deleted text
local deleted_shown = {}

M.enabled = true

local GROUPS = {
  added = { sign = 'AcpLensAdded', line = 'AcpLensAddedLine' },
  modified = { sign = 'AcpLensModified', line = 'AcpLensModifiedLine' },
  deleted = { sign = 'AcpLensDeleted', line = 'AcpLensDeletedLine' },
}

--- Where a hunk's mark stands: a deletion at the end of a file stands below its last line.
---@param hunk acp_lens.PlacedHunk
---@param line_count integer
---@return integer line from 0
---@return boolean below
local function place_of(hunk, line_count)
  local line = hunk.range.start.line
  return math.min(line, line_count - 1), line >= line_count
end

---@param buf integer
---@param text string
---@return table[] chunks of virtual lines
local function virtual_lines(buf, text)
  local tab = (' '):rep(vim.bo[buf].tabstop)
  return vim.tbl_map(function(line)
    return { { '- ' .. line:gsub('\r$', ''):gsub('\t', tab), GROUPS.deleted.line } }
  end, vim.split(text:gsub('\n$', ''), '\n', { plain = true }))
end

---@param buf integer
---@param hunk acp_lens.PlacedHunk
---@param below boolean
---@param config acp_lens.Config
---@return table options for `nvim_buf_set_extmark`
local function options_of(buf, hunk, below, config)
  local groups = GROUPS[hunk.kind] or GROUPS.modified
  local first, last = hunk.range.start.line, hunk.range['end'].line
  local options = {
    priority = config.signs.priority,
    strict = false,
    undo_restore = true,
    invalidate = false,
  }
  if config.signs.enabled then
    options.sign_text = below and config.signs.deleted_below
      or config.signs[hunk.kind]
      or config.signs.modified
    options.sign_hl_group = groups.sign
  end
  if last > first or hunk.range['end'].character > 0 then
    -- The range ends at the start of the line below it, or in the last line of the file; a mark
    -- shows on its last line, too.
    options.end_row = hunk.range['end'].character > 0 and last or last - 1
    options.end_col = 0
    options.end_right_gravity = false
    if config.linehl then
      options.line_hl_group = groups.line
    end
  end
  if (config.deleted or deleted_shown[buf]) and hunk.oldText and hunk.oldText ~= '' then
    options.virt_lines = virtual_lines(buf, hunk.oldText)
    options.virt_lines_above = not below
  end
  return options
end

---@param hunk acp_lens.PlacedHunk
---@param config acp_lens.Config
---@param deleted boolean
---@return string
local function key_of(hunk, config, deleted)
  return table.concat({
    hunk.kind,
    hunk.state,
    hunk.range['end'].line - hunk.range.start.line,
    hunk.range['end'].character,
    tostring(config.signs.enabled),
    tostring(config.linehl),
    deleted and (hunk.oldText or '') or '',
  }, '\0')
end

--- Draws the hunks of a buffer, where they differ from what stands there.
---@param buf integer
function M.redraw(buf)
  if not vim.api.nvim_buf_is_loaded(buf) then
    return
  end
  local placed = require('acp_lens.store').hunks(buf)
  if not placed or not M.enabled then
    M.clear(buf)
    return
  end
  require('acp_lens.highlight')
  local config = require('acp_lens.config').get()
  local before = drawn[buf] or {}
  local after = {}
  local line_count = vim.api.nvim_buf_line_count(buf)
  local deleted = config.deleted or deleted_shown[buf] or false
  local lines = M.mark_lines(buf)
  for _, hunk in ipairs(placed.hunks) do
    if hunk.range then
      ---@cast hunk acp_lens.PlacedHunk
      local line, below = place_of(hunk, line_count)
      local key = key_of(hunk, config, deleted)
      local old = before[hunk.id]
      if old and old.key == key and lines[old.mark] == line then
        after[hunk.id] = old
      else
        local options = options_of(buf, hunk, below, config)
        options.id = old and old.mark or nil
        after[hunk.id] = {
          mark = vim.api.nvim_buf_set_extmark(buf, NAMESPACE, line, 0, options),
          key = key,
        }
      end
      before[hunk.id] = nil
    end
  end
  for _, old in pairs(before) do
    vim.api.nvim_buf_del_extmark(buf, NAMESPACE, old.mark)
  end
  drawn[buf] = after
  require('acp_lens.lens').refresh(buf)
end

--- The lines on which the marks of a buffer stand now, from 0, by mark.
---@param buf integer
---@return table<integer, integer>
function M.mark_lines(buf)
  local lines = {}
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(buf, NAMESPACE, 0, -1, {})) do
    lines[mark[1]] = mark[2]
  end
  return lines
end

---@param buf integer
function M.clear(buf)
  drawn[buf] = nil
  if vim.api.nvim_buf_is_loaded(buf) then
    vim.api.nvim_buf_clear_namespace(buf, NAMESPACE, 0, -1)
  end
  require('acp_lens.lens').forget_marks(buf)
end

--- Pause after the last change of a text before its hunks are asked for again, in milliseconds.
--- Until then the marks move with the text by themselves.
local SETTLE_MS = 200

---@type table<integer, uv.uv_timer_t>
local settling = {}

---@param buf integer
local function stop_settling(buf)
  local timer = settling[buf]
  if timer then
    settling[buf] = nil
    timer:stop()
    timer:close()
  end
end

---@param buf integer
local function watch(buf)
  if settling[buf] then
    return
  end
  local timer = assert(vim.uv.new_timer())
  settling[buf] = timer
  vim.api.nvim_buf_attach(buf, false, {
    on_lines = function()
      if settling[buf] ~= timer then
        return true
      end
      timer:start(
        SETTLE_MS,
        0,
        vim.schedule_wrap(function()
          if settling[buf] == timer and require('acp_lens.store').hunks(buf) then
            M.ask(buf)
          end
        end)
      )
    end,
    on_detach = function()
      if settling[buf] == timer then
        stop_settling(buf)
      end
    end,
  })
end

--- A buffer joined the server.
---@param buf integer
function M.attach(buf)
  watch(buf)
  local group = vim.api.nvim_create_augroup('acp_lens_buffer_' .. buf, {})
  vim.api.nvim_create_autocmd({ 'BufUnload', 'BufWipeout' }, {
    group = group,
    buffer = buf,
    once = true,
    callback = function()
      vim.api.nvim_clear_autocmds({ group = group })
      drawn[buf] = nil
      deleted_shown[buf] = nil
      stop_settling(buf)
      require('acp_lens.store').forget_buffer(buf)
      require('acp_lens.lens').forget(buf)
    end,
  })
  vim.schedule(function()
    M.ask(buf)
  end)
end

--- Asks for the hunks of a buffer, with the old text where it is shown.
---@param buf integer
---@param on_done? fun()
function M.ask(buf, on_done)
  local client = require('acp_lens.client').get()
  if not client or not client.initialized or not vim.api.nvim_buf_is_loaded(buf) then
    return
  end
  local method = require('acp_lens.protocol').method
  require('acp_lens.client').request(method.hunks, {
    uri = require('acp_lens.client').uri(buf),
    withText = deleted_shown[buf] or require('acp_lens.config').get().deleted,
  }, function(result)
    require('acp_lens.store').on_hunks(result)
    if on_done then
      on_done()
    end
  end, function() end)
end

--- True while the old text of this buffer's hunks must come with them.
---@param buf integer
---@return boolean
function M.wants_text(buf)
  return deleted_shown[buf] or require('acp_lens.config').get().deleted
end

--- Lines above the first line of a buffer are out of sight until a window is told to show them.
---@param buf integer
local function reveal_first(buf)
  local marks = vim.api.nvim_buf_get_extmarks(buf, NAMESPACE, 0, { 0, -1 }, { details = true })
  local height = 0
  for _, mark in ipairs(marks) do
    height = height + #(assert(mark[4]).virt_lines or {})
  end
  for _, win in ipairs(height > 0 and vim.fn.win_findbuf(buf) or {}) do
    vim.api.nvim_win_call(win, function()
      if vim.fn.line('w0') == 1 then
        vim.fn.winrestview({ topfill = height })
      end
    end)
  end
end

--- Shows or hides the text that agents removed, above the lines that took its place.
---@param buf integer
function M.toggle_deleted(buf)
  deleted_shown[buf] = not deleted_shown[buf] or nil
  M.ask(buf, function()
    reveal_first(buf)
  end)
end

--- Shows or hides everything that this plugin draws in buffers.
function M.toggle()
  M.enabled = not M.enabled
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if require('acp_lens.store').hunks(buf) then
      M.redraw(buf)
    end
  end
  require('acp_lens.log').info(M.enabled and 'marks are shown' or 'marks are hidden')
end

--- The hunk at a line of the buffer as it is now: the marks know where the text has moved to.
---@param buf integer
---@param line integer from 0
---@return acp_lens.Hunk?
function M.hunk_at(buf, line)
  local placed = require('acp_lens.store').hunks(buf)
  if not placed then
    return nil
  end
  local lines = M.mark_lines(buf)
  for _, hunk in ipairs(placed.hunks) do
    if hunk.range then
      local mark = drawn[buf] and drawn[buf][hunk.id]
      local first = mark and lines[mark.mark] or hunk.range.start.line
      local height = hunk.range['end'].line - hunk.range.start.line
      if hunk.range['end'].character > 0 then
        height = height + 1
      end
      if line >= first and line < first + math.max(height, 1) then
        return hunk
      end
    end
  end
end

return M

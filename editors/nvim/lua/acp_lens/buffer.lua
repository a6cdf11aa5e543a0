--- What is drawn in a buffer: signs, line highlights, deleted text. One namespace for all of it.
---
--- Extmarks move with the text by themselves. A mark is written only where something differs from
--- what was drawn before, so that typing in a file with a thousand hunks costs nothing here.
local M = {}

local NAMESPACE = vim.api.nvim_create_namespace('acp_lens')

M.namespace = NAMESPACE

---@class acp_lens.Drawn
---@field mark integer id of the extmark at the hunk's first line
---@field key string what it looked like and how many lines it had
---@field line integer line at which it was drawn, from 0

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

---@param hunk acp_lens.Hunk
---@param text string
---@return table[] chunks of virtual lines
local function virtual_lines(hunk, text)
  local lines = vim.split(text:gsub('\n$', ''), '\n', { plain = true })
  return vim.tbl_map(function(line)
    -- A tab as wide as in the buffer would need its options; spaces keep the columns readable.
    return { { '- ' .. line:gsub('\r$', ''):gsub('\t', '    '), GROUPS.deleted.line } }
  end, hunk.oldText and lines or {})
end

---@param buf integer
---@param hunk acp_lens.Hunk
---@param config acp_lens.Config
---@return table options for `nvim_buf_set_extmark`
local function options_of(buf, hunk, config)
  local groups = GROUPS[hunk.kind] or GROUPS.modified
  local first, last = hunk.range.start.line, hunk.range['end'].line
  local options = {
    priority = config.signs.priority,
    strict = false,
    undo_restore = true,
    invalidate = false,
  }
  if config.signs.enabled then
    options.sign_text = config.signs[hunk.kind] or config.signs.modified
    options.sign_hl_group = groups.sign
  end
  if last > first or hunk.range['end'].character > 0 then
    -- The range ends below its last line, or at the end of the last line of the file.
    if hunk.range['end'].character == 0 then
      options.end_row = last
      options.end_col = 0
    else
      options.end_row = last + 1
      options.end_col = 0
    end
    options.end_right_gravity = false
    if config.linehl then
      options.hl_group = groups.line
      options.hl_eol = true
    end
  end
  if (config.deleted or deleted_shown[buf]) and hunk.oldText and hunk.oldText ~= '' then
    options.virt_lines = virtual_lines(hunk, hunk.oldText)
    options.virt_lines_above = true
  end
  return options
end

---@param hunk acp_lens.Hunk
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
  for _, hunk in ipairs(placed.hunks) do
    if hunk.range then
      local line = math.min(hunk.range.start.line, line_count - 1)
      local key = key_of(hunk, config, deleted)
      local old = before[hunk.id]
      local position = old and vim.api.nvim_buf_get_extmark_by_id(buf, NAMESPACE, old.mark, {})
      if old and old.key == key and position and position[1] == line then
        after[hunk.id] = old
      else
        local options = options_of(buf, hunk, config)
        options.id = old and old.mark or nil
        after[hunk.id] = {
          mark = vim.api.nvim_buf_set_extmark(buf, NAMESPACE, line, 0, options),
          key = key,
          line = line,
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

---@param buf integer
function M.clear(buf)
  drawn[buf] = nil
  if vim.api.nvim_buf_is_loaded(buf) then
    vim.api.nvim_buf_clear_namespace(buf, NAMESPACE, 0, -1)
  end
  require('acp_lens.lens').clear(buf)
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
  vim.api.nvim_create_autocmd({ 'BufUnload', 'BufWipeout' }, {
    buffer = buf,
    once = true,
    callback = function()
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

--- Shows or hides the text that agents removed, above the lines that took its place.
---@param buf integer
function M.toggle_deleted(buf)
  deleted_shown[buf] = not deleted_shown[buf] or nil
  M.ask(buf)
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
  for _, hunk in ipairs(placed.hunks) do
    if hunk.range then
      local mark = drawn[buf] and drawn[buf][hunk.id]
      local first = hunk.range.start.line
      if mark then
        local position = vim.api.nvim_buf_get_extmark_by_id(buf, NAMESPACE, mark.mark, {})
        first = position[1] or first
      end
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

--- Code lenses of this server, asked for and drawn without touching those of other servers.
---
--- They are also handed to `vim.lsp.codelens`, so that `vim.lsp.codelens.run()` runs them.
local M = {}

local NAMESPACE = vim.api.nvim_create_namespace('acp_lens')

---@type table<integer, table<integer, { mark: integer, key: string }>> by buffer, then by line
local drawn = {}
---@type table<integer, boolean> buffers with a request on its way, true when another is due
local asking = {}

---@return boolean
local function above()
  local position = require('acp_lens.config').get().lens.position
  if position == 'auto' then
    return vim.fn.has('nvim-0.12') == 1
  end
  return position == 'above'
end

--- The lenses of one line as one text. Those that only act are left out unless asked for.
---@param lenses lsp.CodeLens[]
---@param actions boolean
---@return string
local function text_of(lenses, actions)
  local titles = {}
  for _, lens in ipairs(lenses) do
    if lens.command and (actions or lens.command.command == 'acpLens.showChanges') then
      titles[#titles + 1] = lens.command.title
    end
  end
  return table.concat(titles, ' | ')
end

---@param buf integer
---@param lenses lsp.CodeLens[]
local function draw(buf, lenses)
  local config = require('acp_lens.config').get()
  local by_line = {} ---@type table<integer, lsp.CodeLens[]>
  for _, lens in ipairs(lenses) do
    local line = lens.range.start.line
    by_line[line] = by_line[line] or {}
    table.insert(by_line[line], lens)
  end
  local before, after = drawn[buf] or {}, {}
  local line_count = vim.api.nvim_buf_line_count(buf)
  local mark_lines = require('acp_lens.buffer').mark_lines(buf)
  for line, at_line in pairs(by_line) do
    local text = text_of(at_line, config.lens.actions)
    if text ~= '' and line < line_count then
      -- A virtual line above the first line of a buffer cannot be scrolled to.
      local as_line = above() and line > 0
      local key = (as_line and 'above' or 'eol') .. text
      local old = before[line]
      if old and old.key == key and mark_lines[old.mark] == line then
        after[line] = old
        before[line] = nil
      else
        local options = { hl_mode = 'combine', strict = false }
        local chunk = { text, 'AcpLensLens' }
        if as_line then
          local indent = vim.fn.getbufline(buf, line + 1)[1] or ''
          options.virt_lines = { { { indent:match('^%s*') }, chunk } }
          options.virt_lines_above = true
        else
          options.virt_text = { { '  ' }, chunk }
        end
        after[line] = {
          mark = vim.api.nvim_buf_set_extmark(buf, NAMESPACE, line, 0, options),
          key = key,
        }
      end
    end
  end
  for _, old in pairs(before) do
    vim.api.nvim_buf_del_extmark(buf, NAMESPACE, old.mark)
  end
  drawn[buf] = after
end

--- Asks for the lenses of a buffer, and draws them.
---@param buf integer
function M.refresh(buf)
  local client = require('acp_lens.client').get()
  local config = require('acp_lens.config').get()
  if not client or not config.lens.enabled or not require('acp_lens.buffer').enabled then
    return
  end
  if asking[buf] ~= nil then
    asking[buf] = true
    return
  end
  if not vim.lsp.buf_is_attached(buf, client.id) then
    return
  end
  asking[buf] = false
  local tick = vim.api.nvim_buf_get_changedtick(buf)
  local sent = client:request('textDocument/codeLens', {
    textDocument = { uri = require('acp_lens.client').uri(buf) },
  }, function(err, lenses)
    local again = asking[buf]
    asking[buf] = nil
    if not vim.api.nvim_buf_is_loaded(buf) then
      return
    end
    if not err and lenses and vim.api.nvim_buf_get_changedtick(buf) == tick then
      draw(buf, lenses)
      if vim.lsp.codelens.save then
        vim.lsp.codelens.save(lenses, buf, client.id)
      end
    elseif not err then
      -- The text moved on meanwhile; marks stay where they are until an answer fits.
      again = true
    end
    if again then
      vim.defer_fn(function()
        if vim.api.nvim_buf_is_loaded(buf) then
          M.refresh(buf)
        end
      end, 150)
    end
  end, buf)
  if not sent then
    asking[buf] = nil
  end
end

function M.refresh_all()
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buf) then
      M.refresh(buf)
    end
  end
end

--- The marks of a buffer are gone.
---@param buf integer
function M.forget_marks(buf)
  drawn[buf] = nil
end

---@param buf integer
function M.forget(buf)
  drawn[buf] = nil
  asking[buf] = nil
end

return M

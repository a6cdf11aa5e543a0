--- Buffer variables and the text for a status line.
local M = {}

local store = require('acp_lens.store')

--- `b:acp_lens_status_dict` and `b:acp_lens_status` of a buffer, from its hunks and files.
---@param buf integer
function M.update(buf)
  if not vim.api.nvim_buf_is_loaded(buf) then
    return
  end
  local placed = store.hunks(buf)
  local shown, known = 0, false
  local added, removed = 0, 0 ---@type integer?, integer?
  local uri = placed and placed.uri or nil
  for _, hunk in ipairs(placed and placed.hunks or {}) do
    if hunk.range then
      shown = shown + 1
    end
  end
  local sessions = 0
  if uri then
    for _, entry in ipairs(store.sessions()) do
      local file = entry.by_uri[uri]
      if file then
        sessions = sessions + 1
        known = true
        -- One count that is missing makes the sum unknown, not smaller.
        added = added and file.added and added + file.added
        removed = removed and file.removed and removed + file.removed
      end
    end
  end
  if not known then
    if vim.b[buf].acp_lens_status_dict ~= nil then
      vim.b[buf].acp_lens_status_dict = nil
      vim.b[buf].acp_lens_status = nil
    end
    return
  end
  vim.b[buf].acp_lens_status_dict = {
    hunks = shown,
    added = added,
    removed = removed,
    sessions = sessions,
    limit = placed and placed.limit or nil,
  }
  vim.b[buf].acp_lens_status = require('acp_lens.protocol').counts(added, removed)
end

function M.update_all()
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    M.update(buf)
  end
  vim.cmd.redrawstatus({ bang = true })
end

---@param buf? integer
---@return string
function M.line(buf)
  buf = (buf and buf ~= 0) and buf or vim.api.nvim_get_current_buf()
  local parts = {}
  local status = vim.b[buf].acp_lens_status
  if status then
    parts[#parts + 1] = status
  end
  if require('acp_lens.permission').count() > 0 then
    parts[#parts + 1] = 'asks'
  else
    for _, entry in ipairs(store.sessions()) do
      if entry.info.state == 'prompting' then
        parts[#parts + 1] = 'working'
        break
      end
    end
  end
  return table.concat(parts, ' ')
end

return M

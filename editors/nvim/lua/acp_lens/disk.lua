--- Buffers whose file an agent changed on disk.
local M = {}

---@type table<integer, integer> buffer to the changedtick at which the person was told
local told = {}

--- Rereads an unmodified buffer; never one with unsaved work.
---@param file acp_lens.File
function M.changed(file)
  if not file.uri or not require('acp_lens.config').get().checktime then
    return
  end
  local buf = require('acp_lens.store').buffer_of(file.uri)
  if not buf or vim.bo[buf].buftype ~= '' then
    return
  end
  if vim.bo[buf].modified then
    local tick = vim.api.nvim_buf_get_changedtick(buf)
    if told[buf] ~= tick then
      told[buf] = tick
      require('acp_lens.log').warn(
        ('an agent changed %s on disk; this buffer has unsaved changes and is left alone'):format(
          file.file.relativePath
        )
      )
    end
    return
  end
  told[buf] = nil
  -- Without 'autoread' Neovim asks before it rereads, as the person has it for every change.
  vim.schedule(function()
    if
      vim.api.nvim_buf_is_loaded(buf)
      and not vim.bo[buf].modified
      and file.action ~= 'deleted'
    then
      vim.cmd.checktime(buf)
    end
  end)
end

return M

--- Messages to the person, and the log of this plugin and its server.
local M = {}

---@param message string
---@param level integer
local function say(message, level)
  local send = function()
    vim.notify('acp-lens: ' .. message, level)
  end
  if vim.in_fast_event() then
    vim.schedule(send)
  else
    send()
  end
end

---@param message string
function M.info(message)
  say(message, vim.log.levels.INFO)
end

---@param message string
function M.warn(message)
  say(message, vim.log.levels.WARN)
end

---@param message string
function M.error(message)
  say(message, vim.log.levels.ERROR)
end

--- The file with what the server wrote to its standard error.
---@return string
function M.path()
  return vim.lsp.log.get_filename()
end

return M

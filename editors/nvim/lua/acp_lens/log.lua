--- Messages to the person, and the log of this plugin and its server.
local M = {}

--- Whether messages go to Neovim's own command line.
---@return boolean
local function on_command_line()
  return assert(debug.getinfo(vim.notify, 'S')).source:find('vim/_editor', 1, true) ~= nil
end

--- The start of a message, as much as fits without a prompt to press a key.
---@param message string
---@return string
local function fitting(message)
  local width = vim.v.echospace
  if not on_command_line() or vim.fn.strdisplaywidth(message) <= width then
    return message
  end
  return vim.fn.strcharpart(message, 0, width - 1) .. '…'
end

---@param message string
---@param level integer
---@param unasked? boolean the person may be typing: the message must not wait for a key
local function say(message, level, unasked)
  local send = function()
    local text = 'acp-lens: ' .. message
    vim.notify(unasked and fitting(text) or text, level)
  end
  if vim.in_fast_event() then
    vim.schedule(send)
  else
    send()
  end
end

---@param message string
function M.info(message)
  say(message, vim.log.levels.INFO, true)
end

--- Something that wants an answer, told while the person does something else.
---@param message string
function M.call(message)
  say(message, vim.log.levels.WARN, true)
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

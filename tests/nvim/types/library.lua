---@meta
-- What Neovim's own annotations leave out of what the plugin uses: libuv, which they name without
-- describing it.

---@class uv.uv_timer_t
local timer = {}
---@param timeout integer milliseconds
---@param again integer milliseconds
---@param callback fun()
function timer:start(timeout, again, callback) end
function timer:stop() end
function timer:close() end

---@class uv
---@field new_timer fun(): uv.uv_timer_t?
---@field now fun(): integer
---@field kill fun(pid: integer, signal: string|integer)
vim.uv = {}

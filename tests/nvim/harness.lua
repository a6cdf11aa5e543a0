--- The smallest test runner that waits: a spec names checks, each runs to its end or its deadline.
local M = { passed = 0, failed = 0 }

local out = io.stdout

---@param name string
---@param run fun()
function M.it(name, run)
  local ok, why = xpcall(run, debug.traceback)
  if ok then
    M.passed = M.passed + 1
    out:write('ok - ', name, '\n')
  else
    M.failed = M.failed + 1
    out:write('not ok - ', name, '\n    ', (tostring(why):gsub('\n', '\n    ')), '\n')
  end
  out:flush()
end

--- Waits until `condition` gives a value that is true, and returns it.
---@generic T
---@param what string what is waited for, for the message
---@param condition fun(): T
---@param ms? integer
---@return T
function M.eventually(what, condition, ms)
  local value
  local ok = vim.wait(ms or 15000, function()
    value = condition()
    return value and true or false
  end, 10)
  if not ok then
    error(('timed out waiting for %s; last value: %s'):format(what, vim.inspect(value)), 2)
  end
  return value
end

---@param wanted any
---@param got any
---@param what? string
function M.equal(wanted, got, what)
  if not vim.deep_equal(wanted, got) then
    error(
      ('%s\n  wanted: %s\n  got:    %s'):format(
        what or 'not equal',
        vim.inspect(wanted),
        vim.inspect(got)
      ),
      2
    )
  end
end

--- Messages that `vim.notify` was given, instead of showing them.
---@type { text: string, level: integer }[]
M.messages = {}
vim.notify = function(text, level)
  table.insert(M.messages, { text = text, level = level or vim.log.levels.INFO })
end

---@param pattern string
---@return boolean
function M.said(pattern)
  for _, message in ipairs(M.messages) do
    if message.text:find(pattern) then
      return true
    end
  end
  return false
end

--- Ends Neovim with the result.
function M.finish()
  out:write(('%d passed, %d failed\n'):format(M.passed, M.failed))
  out:flush()
  vim.cmd(M.failed == 0 and M.passed > 0 and 'qall!' or 'cquit 1')
end

return M

--- Going from change to change, in the file and across files.
local protocol = require('acp_lens.protocol')

local M = {}

--- A loaded and listed buffer of a file; nil, with a message, when it cannot be read (another
--- Neovim may hold its swap file).
---@param path string
---@return integer?
function M.load(path)
  local buf = vim.fn.bufadd(path)
  local ok, why = pcall(vim.fn.bufload, buf)
  if not ok then
    require('acp_lens.log').warn(('%s cannot be opened: %s'):format(path, why))
    return nil
  end
  vim.bo[buf].buflisted = true
  return buf
end

--- Goes to a file, in the window that shows it or in one that may show it.
---@param uri string
---@param range? lsp.Range
---@return boolean shown
function M.show(uri, range)
  local buf = M.load(vim.uri_to_fname(uri))
  if not buf then
    return false
  end
  vim.cmd("normal! m'")
  if vim.fn.bufwinid(buf) < 0 then
    vim.api.nvim_set_current_win(require('acp_lens.window').for_file())
  end
  local start = { line = 0, character = 0 }
  return vim.lsp.util.show_document({
    uri = uri,
    range = range or { start = start, ['end'] = start },
  }, require('acp_lens.client').encoding(), { reuse_win = true, focus = true })
end

--- Goes to the start of a line.
---@param uri string
---@param line integer from 0
---@return boolean shown
function M.show_line(uri, line)
  local start = { line = line, character = 0 }
  return M.show(uri, { start = start, ['end'] = start })
end

--- Where the server should start to look: the cursor, if it is in a file.
---@return table
local function position()
  local buf = vim.api.nvim_get_current_buf()
  if vim.bo[buf].buftype ~= '' or vim.api.nvim_buf_get_name(buf) == '' then
    return {}
  end
  local client = require('acp_lens.client')
  local params = vim.lsp.util.make_position_params(0, client.encoding())
  return { uri = params.textDocument.uri, position = params.position }
end

---@param direction 'next'|'previous'|'first'|'last'
---@param options? { scope?: 'file'|'all', session?: string, turn?: string, count?: integer }
function M.go(direction, options)
  options = options or {}
  local params = vim.tbl_extend('force', position(), {
    direction = direction,
    scope = options.scope or 'all',
    session = options.session,
    turn = options.turn,
  })
  M.ask(params, options.count or 1)
end

---@param params table
---@param count integer
function M.ask(params, count)
  require('acp_lens.client').request(protocol.method.goTo, params, function(result)
    if not result then
      require('acp_lens.log').info('no agent changed anything here')
      return
    end
    if count > 1 and (params.direction == 'next' or params.direction == 'previous') then
      M.ask(
        vim.tbl_extend('force', params, { uri = result.uri, position = result.range.start }),
        count - 1
      )
      return
    end
    M.show(result.uri, result.range)
    vim.api.nvim_echo({
      {
        ('%d of %d%s'):format(result.index, result.total, result.wrapped and ' (wrapped)' or ''),
      },
    }, false, {})
  end)
end

--- The lenses `Previous` and `Next`: from their hunk, wherever the cursor is.
---@param direction 'next'|'previous'
---@param argument { hunk?: string, uri?: string }
function M.from_hunk(direction, argument)
  local buf = argument.uri and require('acp_lens.store').buffer_of(argument.uri)
  local placed = buf and require('acp_lens.store').hunks(buf)
  for _, hunk in ipairs(placed and placed.hunks or {}) do
    if hunk.id == argument.hunk and hunk.range then
      M.ask({
        direction = direction,
        scope = 'all',
        uri = argument.uri,
        position = hunk.range.start,
      }, 1)
      return
    end
  end
  M.go(direction)
end

return M

--- Diffs in Neovim's own diff mode: a tab with both sides, both from the server.
local protocol = require('acp_lens.protocol')

local M = {}

--- A buffer with one side of a diff. Its name is for people; the variable says what the server
--- calls it.
---@param name 'before'|'after'
---@param uri string
---@param text string
---@param label string
---@return integer
local function side(name, uri, text, label)
  local buf = vim.fn.bufadd(('acp-lens://%s/%s'):format(name, label))
  vim.b[buf].acp_lens_uri = uri
  vim.bo[buf].buftype = 'nofile'
  vim.bo[buf].swapfile = false
  -- The text came with the answer, so the buffer need not be read again.
  vim.api.nvim_buf_call(buf, function()
    vim.cmd('noautocmd call bufload(' .. buf .. ')')
  end)
  require('acp_lens.virtual').fill(buf, text)
  require('acp_lens.virtual').set_filetype(buf, uri)
  return buf
end

---@param result { label: string, oldText: string?, newText: string?, oldUri: string, newUri: string, net: boolean, reason: string?, hunks: table[] }
---@param line? integer line of the new side to show, from 0
function M.show(result, line)
  if not result.oldText or not result.newText then
    require('acp_lens.log').info(
      ('%s: %s'):format(result.label, result.reason or 'there is no text to show')
    )
    return
  end
  if result.oldText == result.newText then
    require('acp_lens.log').info(('%s: %s'):format(result.label, result.reason or 'no net change'))
    return
  end
  -- The same diff twice would be the same two buffers.
  for _, win in ipairs(vim.api.nvim_list_wins()) do
    if vim.b[vim.api.nvim_win_get_buf(win)].acp_lens_uri == result.newUri then
      vim.api.nvim_set_current_win(win)
      return
    end
  end
  local before = vim.api.nvim_get_current_tabpage()
  local old = side('before', result.oldUri, result.oldText, result.label)
  local new = side('after', result.newUri, result.newText, result.label)
  vim.cmd.tabnew()
  local scratch = vim.api.nvim_get_current_buf()
  local tab = vim.api.nvim_get_current_tabpage()
  local old_win = vim.api.nvim_get_current_win()
  vim.api.nvim_win_set_buf(old_win, old)
  local new_win = vim.api.nvim_open_win(new, true, { split = 'right', win = old_win })
  if vim.api.nvim_buf_is_valid(scratch) and vim.api.nvim_buf_get_name(scratch) == '' then
    vim.api.nvim_buf_delete(scratch, { force = true })
  end
  for win, name in pairs({ [old_win] = 'before', [new_win] = 'after' }) do
    vim.api.nvim_win_call(win, vim.cmd.diffthis)
    local text = (' %s   %s'):format(name, result.label)
    if not result.net then
      text = text .. '   (pieces, not one change)'
    end
    vim.wo[win][0].winbar = text:gsub('%%', '%%%%') .. '%<'
    vim.wo[win][0].foldlevel = 0
  end
  local function close()
    if vim.api.nvim_tabpage_is_valid(tab) and #vim.api.nvim_list_tabpages() > 1 then
      vim.cmd.tabclose(vim.api.nvim_tabpage_get_number(tab))
    end
    for _, buf in ipairs({ old, new }) do
      if vim.api.nvim_buf_is_valid(buf) then
        vim.api.nvim_buf_delete(buf, { force = true })
      end
    end
    if vim.api.nvim_tabpage_is_valid(before) then
      vim.api.nvim_set_current_tabpage(before)
    end
  end
  for _, buf in ipairs({ old, new }) do
    vim.keymap.set('n', 'q', close, { buffer = buf, nowait = true, desc = 'Close this diff' })
    vim.api.nvim_create_autocmd('BufWinLeave', {
      buffer = buf,
      once = true,
      callback = function()
        vim.schedule(close)
      end,
    })
  end
  local first = line or (result.hunks[1] and result.hunks[1].newStart) or 0
  vim.api.nvim_win_set_cursor(
    new_win,
    { math.max(1, math.min(first + 1, vim.api.nvim_buf_line_count(new))), 0 }
  )
end

---@param session string
---@param path string
---@param scope { kind: 'toolCall'|'turn'|'session', toolCall?: string, turn?: string }
function M.open(session, path, scope)
  require('acp_lens.client').request(
    protocol.method.diff,
    { session = session, relativePath = path, scope = scope },
    M.show
  )
end

--- The file of a session that stands behind a uri.
---@param session string
---@param uri string
---@return acp_lens.File?
local function file_of(session, uri)
  local entry = require('acp_lens.store').session(session)
  return entry and entry.by_uri[uri]
end

---@param hunk acp_lens.Hunk
---@param file acp_lens.File
---@param kind 'call'|'turn'|'session'
local function open_hunk(hunk, file, kind)
  local scopes = {
    call = { kind = 'toolCall', toolCall = hunk.toolCall },
    turn = { kind = 'turn', turn = hunk.turn },
    session = { kind = 'session' },
  }
  M.open(hunk.session, file.file.relativePath, scopes[kind])
end

--- The lens `Show diff`.
---@param argument { hunk?: string, uri?: string }
function M.of_hunk(argument)
  local store = require('acp_lens.store')
  local buf = argument.uri and store.buffer_of(argument.uri)
  local placed = buf and store.hunks(buf)
  for _, hunk in ipairs(placed and placed.hunks or {}) do
    if placed and hunk.id == argument.hunk then
      local file = file_of(hunk.session, placed.uri)
      if file then
        open_hunk(hunk, file, 'turn')
        return
      end
    end
  end
  require('acp_lens.log').info('this change is gone; it was replaced or its session was closed')
end

--- The diff at the cursor: of its hunk's call or turn, or of the file in its newest session.
---@param kind? 'call'|'turn'|'session'
function M.at_cursor(kind)
  local store = require('acp_lens.store')
  local buf = vim.api.nvim_get_current_buf()
  local line = vim.fn.line('.') - 1
  local hunk = require('acp_lens.buffer').hunk_at(buf, line)
  local uri = require('acp_lens.client').uri(buf)
  if hunk then
    local placed = store.hunks(buf)
    local file = file_of(hunk.session, placed and placed.uri or uri)
    if file then
      open_hunk(hunk, file, kind or 'turn')
      return
    end
  end
  if kind == 'call' then
    require('acp_lens.log').info('there is no change at the cursor')
    return
  end
  local entries = store.sessions()
  for index = #entries, 1, -1 do
    local file = file_of(entries[index].info.session, uri)
    if file then
      local last = file.turns[#file.turns]
      M.open(
        file.session,
        file.file.relativePath,
        kind == 'session' and { kind = 'session' } or { kind = 'turn', turn = last.turn }
      )
      return
    end
  end
  require('acp_lens.log').info('no agent changed this file')
end

return M

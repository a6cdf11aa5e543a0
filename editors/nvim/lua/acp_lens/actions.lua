--- Small things at a hunk.
local M = {}

--- Puts the text that an agent replaced into the unnamed register.
---@param argument { hunk?: string, uri?: string }
function M.copy_old_text(argument)
  local client = require('acp_lens.client').get()
  if not client then
    return
  end
  client:request('workspace/executeCommand', {
    command = 'acpLens.copyOldText',
    arguments = { { hunk = argument.hunk } },
  }, function(err, result)
    if err then
      require('acp_lens.log').warn(err.message)
    elseif result and result ~= vim.NIL then
      vim.fn.setreg('"', result.text)
      require('acp_lens.log').info('the old text is in the unnamed register')
    end
  end)
end

--- Shows the change at the cursor in a floating window: its diff, agent, session, turn and state.
--- Only this server is asked, so no other hover comes between.
function M.hover()
  local client = require('acp_lens.client').get()
  local buf = vim.api.nvim_get_current_buf()
  if not client or not vim.lsp.buf_is_attached(buf, client.id) then
    require('acp_lens.log').info('there is no change at the cursor')
    return
  end
  local params = vim.lsp.util.make_position_params(0, require('acp_lens.client').encoding())
  client:request('textDocument/hover', params, function(err, result)
    if err or not result or result == vim.NIL then
      require('acp_lens.log').info(err and err.message or 'there is no change at the cursor')
      return
    end
    local lines = vim.lsp.util.convert_input_to_markdown_lines(result.contents)
    vim.lsp.util.open_floating_preview(lines, 'markdown', {
      focus_id = 'acp_lens_hover',
      border = vim.o.winborder ~= '' and vim.o.winborder or 'rounded',
      title = ' acp-lens ',
    })
  end, buf)
end

return M

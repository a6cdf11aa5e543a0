--- Buffers with the `acp-lens:` scheme: texts that only the server has.
local M = {}

---@param buf integer
---@param text string
local function fill(buf, text)
  local lines = vim.split(text, '\n', { plain = true })
  local ends = lines[#lines] == ''
  if ends then
    table.remove(lines)
  end
  local dos = #lines > 0
  for _, line in ipairs(lines) do
    dos = dos and line:sub(-1) == '\r'
  end
  if dos then
    lines = vim.tbl_map(function(line)
      return line:sub(1, -2)
    end, lines)
  end
  vim.bo[buf].modifiable = true
  vim.bo[buf].fileformat = dos and 'dos' or 'unix'
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].endofline = ends
  vim.bo[buf].modifiable = false
  vim.bo[buf].modified = false
end

--- Sets the filetype of the file whose text a uri names.
---@param buf integer
---@param uri string
function M.set_filetype(buf, uri)
  local path = vim.uri_decode((uri:gsub('^acp%-lens:/*', '/'):gsub('%?.*$', '')))
  local filetype = vim.filetype.match({ filename = path, buf = buf })
  if filetype then
    vim.bo[buf].filetype = filetype
  end
end

--- Fills a buffer that is being read.
---@param buf integer
---@param name string
function M.read(buf, name)
  vim.bo[buf].buftype = 'nofile'
  vim.bo[buf].swapfile = false
  vim.bo[buf].undofile = false
  vim.bo[buf].modifiable = false
  local uri = vim.b[buf].acp_lens_uri or name
  if vim.startswith(uri, 'acp-lens://') and not vim.startswith(uri, 'acp-lens:///') then
    -- A list, a window or a diff that a session file (:mksession) names: it is opened by command.
    return
  end
  M.set_filetype(buf, uri)
  local protocol = require('acp_lens.protocol')
  require('acp_lens.client').request(
    protocol.method.textDocumentContent,
    { uri = uri },
    function(result)
      if vim.api.nvim_buf_is_valid(buf) then
        fill(buf, result.text)
      end
    end
  )
end

M.fill = fill

return M

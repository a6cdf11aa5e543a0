--- Choosing a change: `vim.ui.select`, or a picker plugin's source.
local M = {}

---@param item acp_lens.ListItem
---@return string
function M.format(item)
  local place = item.file.file.relativePath
  if item.lnum then
    place = ('%s:%d'):format(place, item.lnum)
  end
  return ('%s  %s'):format(place, item.text)
end

--- Goes to a chosen change; for one that stands nowhere, to its diff.
---@param item acp_lens.ListItem
function M.open(item)
  if item.lnum then
    require('acp_lens.jump').show_line(item.file.uri, item.lnum - 1)
    return
  end
  local turn = item.hunk and item.hunk.turn
  require('acp_lens.diff').open(
    item.hunk and item.hunk.session or item.file.session,
    item.file.file.relativePath,
    turn and { kind = 'turn', turn = turn } or { kind = 'session' }
  )
end

---@param items acp_lens.ListItem[]
local function select(items)
  vim.ui.select(items, {
    prompt = 'Agent changes',
    kind = 'acp_lens',
    format_item = M.format,
  }, function(item)
    if item then
      M.open(item)
    end
  end)
end

---@type table<string, fun(items: acp_lens.ListItem[])>
local pickers = {
  snacks = function(items)
    require('snacks').picker({
      title = 'Agent changes',
      items = vim.tbl_map(function(item)
        return {
          text = M.format(item),
          file = vim.uri_to_fname(item.file.uri),
          pos = item.lnum and { item.lnum, 0 } or nil,
          item = item,
        }
      end, items),
      format = 'text',
      confirm = function(picker, chosen)
        picker:close()
        if chosen then
          M.open(chosen.item)
        end
      end,
    })
  end,
  telescope = function(items)
    local config = require('telescope.config').values
    require('telescope.pickers')
      .new({}, {
        prompt_title = 'Agent changes',
        finder = require('telescope.finders').new_table({
          results = items,
          entry_maker = function(item)
            return {
              value = item,
              display = M.format(item),
              ordinal = M.format(item),
              filename = vim.uri_to_fname(item.file.uri),
              lnum = item.lnum,
            }
          end,
        }),
        sorter = config.generic_sorter({}),
        previewer = config.grep_previewer({}),
        attach_mappings = function(prompt)
          local actions = require('telescope.actions')
          actions.select_default:replace(function()
            local chosen = require('telescope.actions.state').get_selected_entry()
            actions.close(prompt)
            if chosen then
              M.open(chosen.value)
            end
          end)
          return true
        end,
      })
      :find()
  end,
  ['fzf-lua'] = function(items)
    local by_text, texts = {}, {}
    for index, item in ipairs(items) do
      local text = ('%d\t%s'):format(index, M.format(item))
      by_text[text] = item
      texts[index] = text
    end
    require('fzf-lua').fzf_exec(texts, {
      prompt = 'Agent changes> ',
      fzf_opts = { ['--delimiter'] = '\t', ['--with-nth'] = '2..' },
      actions = {
        ['default'] = function(chosen)
          if chosen and by_text[chosen[1]] then
            M.open(by_text[chosen[1]])
          end
        end,
      },
    })
  end,
}

--- Shows all changes in a picker: the named one, or the first that is installed.
---@param name? 'select'|'snacks'|'telescope'|'fzf-lua'
function M.pick(name)
  require('acp_lens.list').collect({}, function(items)
    if #items == 0 then
      require('acp_lens.log').info('no agent changed anything here')
      return
    end
    if name and name ~= 'select' and not pickers[name] then
      require('acp_lens.log').warn(('there is no picker `%s`'):format(name))
      return
    end
    for _, candidate in ipairs(name and { name } or { 'snacks', 'telescope', 'fzf-lua' }) do
      if candidate == 'select' then
        break
      end
      if pcall(require, candidate) then
        pickers[candidate](items)
        return
      elseif name then
        require('acp_lens.log').warn(('%s is not installed; this is vim.ui.select'):format(name))
      end
    end
    select(items)
  end)
end

return M

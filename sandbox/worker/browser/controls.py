"""Reads what a page asks for, which its accessibility tree does not tell: forms, their fields and limits, and links."""

# Runs in the page. A field is named as people find it: by its label, else by placeholder or test id.
READ = r"""
() => {
  const shown = element => {
    const box = element.getBoundingClientRect();
    const style = getComputedStyle(element);
    return box.width > 0 && box.height > 0 && style.visibility !== 'hidden' && style.display !== 'none';
  };
  const plain = text => (text || '').replace(/\s+/g, ' ').trim();
  const own = label => {
    const copy = label.cloneNode(true);
    copy.querySelectorAll('input, select, textarea, button').forEach(inner => inner.remove());
    return plain(copy.textContent);
  };
  const name = element => {
    const labelled = (element.getAttribute('aria-labelledby') || '').split(/\s+/).filter(Boolean);
    const by = labelled.map(id => plain((document.getElementById(id) || {}).textContent)).join(' ');
    return by || plain(element.getAttribute('aria-label')) || [...(element.labels || [])].map(own).join(' ');
  };
  const testId = element => element.getAttribute('data-testid') || '';
  const forms = [...document.forms];
  const fields = [...document.querySelectorAll('input, select, textarea')].filter(field =>
    !['hidden', 'submit', 'button', 'image', 'reset'].includes(field.type));
  const buttons = [...document.querySelectorAll(
    'button, input[type=submit], input[type=button], input[type=image], [role=button]')];
  return {
    forms: forms.map(form => ({
      method: (form.getAttribute('method') || '').toLowerCase(),
      action: form.action && form.action.href === undefined ? String(form.getAttribute('action') || '') : '',
    })),
    fields: fields.filter(shown).slice(0, 200).map(field => ({
      tag: field.tagName.toLowerCase(), type: field.type, label: name(field), field: field.name || '',
      placeholder: plain(field.placeholder), test_id: testId(field), form: forms.indexOf(field.form),
      required: !!field.required, disabled: !!(field.disabled || field.readOnly), checked: !!field.checked,
      value: field.type === 'password' ? '' : String(field.value || ''), valid: field.checkValidity(),
      min: field.min || '', max: field.max || '', step: field.step || '', pattern: field.pattern || '',
      minlength: field.minLength > 0 ? field.minLength : 0, maxlength: field.maxLength > 0 ? field.maxLength : 0,
      invalid: (field.getAttribute('aria-invalid') || 'false') !== 'false',
      autocomplete: field.autocomplete || '', focused: document.activeElement === field,
      options: field.tagName === 'SELECT' ? [...field.options].slice(0, 50).map(option => ({
        label: plain(option.label), value: option.value, selected: option.selected, disabled: option.disabled,
      })) : [],
    })),
    buttons: buttons.filter(shown).slice(0, 200).map(button => ({
      name: plain(button.getAttribute('aria-label') || button.innerText || button.value), test_id: testId(button),
      form: forms.indexOf(button.form === undefined ? null : button.form),
      submits: ['submit', 'image'].includes(button.type), disabled: !!button.disabled,
    })),
    links: [...document.querySelectorAll('a[href]')].filter(shown).slice(0, 300).map(link => ({
      name: plain(link.getAttribute('aria-label') || link.innerText), href: link.href, target: link.target || '',
      download: link.hasAttribute('download'),
    })),
  };
}
"""

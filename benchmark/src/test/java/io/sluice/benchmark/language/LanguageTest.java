package io.sluice.benchmark.language;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.docs.Checkout;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import morfologik.speller.Speller;
import morfologik.stemming.Dictionary;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The text of the repository is plain technical English: no retired words, lines and sentences of a
 * readable length, descriptions that stand alone, words that a dictionary has. The project's own
 * words are in {@code words/dictionary.txt}.
 */
class LanguageTest {
  private static final int MAX_COLUMNS = 120;
  private static final int MAX_WORDS = 35;
  private static final int MANY_WORDS = 25;
  private static final Pattern COMMENT = Pattern.compile("^\\s*(\\*|/\\*|//|#)(.*)$");
  private static final Pattern ROW =
      Pattern.compile("^\\| (?:<a id=\"[^\"]+\"></a>)?`([^`]+)` \\|.*\\| ([^|]+) \\|$");
  private static final Pattern LEANING =
      Pattern.compile(
          "^(The same|As (above|the)|Of (them|those|these)|It |Its |They |Nor |Also |These |Those "
              + "|This |That |Likewise|Same |Ditto|Like the|And |Or |But |Then )");
  private static final Pattern WORD = Pattern.compile("\\b[A-Za-z][a-z]{2,}\\b");
  private static final Pattern NAME = Pattern.compile("\\S*([./_@:=\\d]|[a-z][A-Z])\\S*");

  /** Files that quote retired words, and files about holes of sparse files. */
  private static final Set<String> EXEMPT =
      Set.of("RetiredWords.java", "SparseContent.java", "SparseContentTest.java");

  @Test
  void hasNoRetiredWords() {
    List<String> found = new ArrayList<>();
    for (String file : TextFiles.all()) {
      if (EXEMPT.contains(file.substring(file.lastIndexOf('/') + 1))) {
        continue;
      }
      List<String> lines = Checkout.lines(file);
      for (int i = 0; i < lines.size(); i++) {
        for (String word : RetiredWords.in(lines.get(i))) {
          found.add(at(file, i + 1) + word);
        }
      }
    }
    assertThat(found).as("retired words").isEmpty();
  }

  @Test
  void hasLinesThatFitAScreen() {
    List<String> found = new ArrayList<>();
    for (String file : TextFiles.all()) {
      boolean page = file.endsWith(".md");
      List<String> lines = Checkout.lines(file);
      boolean code = false;
      for (int i = 0; i < lines.size(); i++) {
        String line = lines.get(i);
        code ^= page && line.strip().startsWith("```");
        boolean text =
            page
                ? !code && !line.strip().matches("([|]|!\\[).*") && !line.startsWith("    ")
                : COMMENT.matcher(line).matches();
        if (text && line.length() > MAX_COLUMNS && line.substring(0, MAX_COLUMNS).contains(" ")) {
          found.add(at(file, i + 1) + line.length() + " columns");
        }
      }
    }
    assertThat(found).as("lines over %s columns", MAX_COLUMNS).isEmpty();
  }

  @Test
  void hasSentencesThatAreReadOnce() {
    List<String> tooLong = new ArrayList<>();
    int sentences = 0;
    int many = 0;
    for (String file : pages()) {
      for (Page.Sentence sentence : Page.sentences(file)) {
        sentences++;
        many += sentence.words() > MANY_WORDS ? 1 : 0;
        if (sentence.words() > MAX_WORDS) {
          tooLong.add(at(file, sentence.line()) + sentence.words() + ": " + sentence.text());
        }
      }
    }
    System.out.println(
        many + " of " + sentences + " sentences of pages have over " + MANY_WORDS + " words");
    assertThat(tooLong).as("sentences over %s words", MAX_WORDS).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"configuration.md", "metrics.md"})
  void describesEachRowWithoutTheRowAbove(String page) {
    List<String> found = new ArrayList<>();
    int rows = 0;
    for (String line : Checkout.lines("docs/" + page)) {
      Matcher row = ROW.matcher(line);
      if (row.matches()) {
        rows++;
        String description = row.group(2);
        if (LEANING.matcher(description).find()) {
          found.add(row.group(1) + ": " + description);
        }
      }
    }
    assertThat(rows).isGreaterThan(50);
    assertThat(found).as("descriptions that lean on another one").isEmpty();
  }

  @Test
  void spellsWordsAsADictionaryDoes() throws IOException {
    Speller speller =
        new Speller(
            Dictionary.read(
                Speller.class.getResource("/org/languagetool/resource/en/hunspell/en_US.dict")));
    Set<String> ours =
        Set.copyOf(Checkout.lines("benchmark/src/test/resources/words/dictionary.txt"));
    Set<String> unknown = new TreeSet<>();
    for (String file : pages()) {
      for (Page.Sentence sentence : Page.sentences(file)) {
        Matcher word = WORD.matcher(NAME.matcher(sentence.text()).replaceAll(" "));
        while (word.find()) {
          String text = word.group();
          if (speller.isMisspelled(text) && !ours.contains(text)) {
            unknown.add(text + " (" + at(file, sentence.line()) + ")");
          }
        }
      }
    }
    assertThat(unknown).as("words that no dictionary has").isEmpty();
  }

  private static List<String> pages() {
    return Stream.concat(
            Stream.of("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"),
            Checkout.files("docs", ".md").stream())
        .toList();
  }

  private static String at(String file, int line) {
    return file + ":" + line + ": ";
  }
}

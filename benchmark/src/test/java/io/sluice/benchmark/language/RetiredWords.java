package io.sluice.benchmark.language;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Words that the field does not use, with the words to use instead. Identifiers are read as their
 * parts: {@code retryPatienceMs} has the word "patience".
 */
final class RetiredWords {
  private static final Pattern BETWEEN_PARTS_OF_IDENTIFIERS =
      Pattern.compile("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_");

  private static final List<Word> WORDS =
      List.of(
          new Word("told|tells?|said|says?", "reports, notifies, logs, returns, sets"),
          new Word("nobody|somebody|whoever|anybody", "no client, a process, a caller"),
          new Word("patience", "timeout, retry period"),
          new Word("further servers?", "replacement server, additional server"),
          new Word("go(es)? on|went on|going on", "continue, resume"),
          new Word("any ?more", "no longer"),
          new Word("(spark|hadoop|engine|yarn)s?'s? own shuffle", "the built-in shuffle"),
          new Word("engines?'s? own|spark's own", "the built-in shuffle; of the engine"),
          new Word("made[- ]up", "placeholder"),
          new Word("(give|gives|gave|given|giving) back", "release"),
          new Word("be had", "be available"),
          new Word("ails|troubles?", "fault, failure, problem"),
          new Word("detours?", "failover"),
          new Word("lanes?", "connection"),
          new Word(
                  "lives?(?! (server|application|coordinator|value))|life",
                  "process, epoch, exists")
              .butNot("\\blive\\b|life ?cycle"),
          new Word("holes?", "missing blocks").butNot("sparse|\\bfile|punch"),
          new Word("places?", "location, disk, replica, index, position")
              .butNot("in ?place|(take|takes|took|taking) places?|hold|decimal place"),
          new Word("last word|its word", "last message"),
          new Word("simply|of course|thus|just", "(leave it out)"),
          new Word("most of them", "maximum number of"));

  /**
   * A word, as a regular expression, and the words to use instead.
   *
   * @param except text around it in which it is right; null if there is none
   */
  private record Word(String expression, Pattern pattern, String instead, Pattern except) {
    Word(String expression, String instead) {
      this(expression, Pattern.compile("\\b(" + expression + ")\\b"), instead, null);
    }

    Word butNot(String exception) {
      return new Word(expression, pattern, instead, Pattern.compile(exception));
    }
  }

  /** Any of the words: few lines have one, and one search is faster than twenty. */
  private static final Pattern ANY =
      Pattern.compile(
          WORDS.stream().map(Word::expression).collect(Collectors.joining("|", "\\b(?:", ")\\b")));

  private RetiredWords() {}

  /** What is to be changed in a line of text or code; empty if nothing is. */
  static List<String> in(String line) {
    String text =
        BETWEEN_PARTS_OF_IDENTIFIERS.matcher(line).replaceAll(" ").toLowerCase(Locale.ROOT);
    if (!ANY.matcher(text).find()) {
      return List.of();
    }
    List<String> found = new ArrayList<>();
    for (Word word : WORDS) {
      Matcher matcher = word.pattern().matcher(text);
      if (matcher.find() && (word.except() == null || !word.except().matcher(text).find())) {
        found.add("\"" + matcher.group() + "\", write: " + word.instead());
      }
    }
    return found;
  }
}

package io.sluice.backport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Random;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Methods of {@code String}, {@code CharSequence}, {@code Matcher}, {@code Optional}. */
class TextMethodsTest {
  private static final int ROUNDS = 2_000;

  /** White space of several kinds, a surrogate pair, line ends, letters. */
  private static final String[] PARTS = {
    " ", "\t", "\u2003", "\u00a0", "\n", "\r", "\r\n", "a", "\ud83d\ude00", "\ud83d", "z"
  };

  @Test
  void stringsAreThoseOfTheJdk() {
    Random random = new Random(2);
    for (int round = 0; round < ROUNDS; round++) {
      StringBuilder built = new StringBuilder();
      for (int part = random.nextInt(8); part > 0; part--) {
        built.append(PARTS[random.nextInt(PARTS.length)]);
      }
      String text = built.toString();
      assertThat(StringMethods.strip(text)).isEqualTo(text.strip());
      assertThat(StringMethods.isBlank(text)).isEqualTo(text.isBlank());
      assertThat(StringMethods.lines(text)).containsExactlyElementsOf(text.lines().toList());
      assertThat(CharSequenceMethods.isEmpty(built)).isEqualTo(text.isEmpty());
    }
    assertThat(StringMethods.formatted("%d of %s", 1, "x")).isEqualTo("1 of x");
  }

  @Test
  void resultsOfAMatcherAreThoseOfTheJdk() {
    Matcher matcher = Pattern.compile("a+").matcher("a b aa");
    assertThat(matcher.find()).isTrue();

    assertThat(MatcherMethods.results(matcher).map(MatchResult::group)).containsExactly("a", "aa");
  }

  @Test
  void optionalsAreThoseOfTheJdk() {
    Optional<String> present = Optional.of("a");
    Optional<String> absent = Optional.empty();

    assertThat(OptionalMethods.isEmpty(present)).isFalse();
    assertThat(OptionalMethods.isEmpty(absent)).isTrue();
    assertThat(OptionalMethods.or(present, () -> absent)).isSameAs(present);
    assertThat(OptionalMethods.or(absent, () -> present)).isSameAs(present);
    assertThatThrownBy(() -> OptionalMethods.or(absent, () -> null))
        .isInstanceOf(NullPointerException.class);
    assertThat(OptionalMethods.orElseThrow(present)).isEqualTo("a");
    assertThatThrownBy(() -> OptionalMethods.orElseThrow(absent))
        .isInstanceOf(NoSuchElementException.class);
    assertThat(OptionalMethods.stream(present)).containsExactly("a");
    assertThat(OptionalMethods.stream(absent)).isEmpty();
  }
}

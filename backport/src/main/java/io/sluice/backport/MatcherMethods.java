package io.sluice.backport;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.stream.Stream;

/** Newer methods of {@link Matcher}. */
@MethodsOf(Matcher.class)
public final class MatcherMethods {
  private MatcherMethods() {}

  /** Matches at once, where the JDK's method matches as the stream is read. */
  public static Stream<MatchResult> results(Matcher self) {
    List<MatchResult> found = new ArrayList<>();
    self.reset();
    while (self.find()) {
      found.add(self.toMatchResult());
    }
    return found.stream();
  }
}

package io.sluice.benchmark.merge;

import io.sluice.common.config.DataSize;
import io.sluice.server.background.BlockSizePolicy;
import io.sluice.server.background.FanInPolicy;
import io.sluice.server.background.MergePolicy;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A merge policy to measure.
 *
 * @param text option value of the user
 * @param policy merge policy; empty: no merging
 * @param share share of runs that are merged before reading starts
 */
record MergeCase(String text, Optional<MergePolicy> policy, double share) {
  private static final Pattern FORM =
      Pattern.compile("(?:none|fan-in:(\\d+)|blocks:([^@]+))(?:@(\\d+)%)?");

  /**
   * Parses {@code none}, {@code fan-in:40} or {@code blocks:1m}. With the suffix {@code @90%},
   * reading starts when this share of the runs is merged.
   *
   * @throws IllegalArgumentException with the expected forms
   */
  static MergeCase parse(String text) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "\""
              + text
              + "\" is not a merge policy; expected none, fan-in:40, blocks:1m or fan-in:40@90%");
    }
    Optional<MergePolicy> policy = Optional.empty();
    if (matcher.group(1) != null) {
      policy = Optional.of(new FanInPolicy(Integer.parseInt(matcher.group(1))));
    } else if (matcher.group(2) != null) {
      policy = Optional.of(new BlockSizePolicy(DataSize.parse(matcher.group(2)).bytes()));
    }
    int percent = matcher.group(3) == null ? 100 : Integer.parseInt(matcher.group(3));
    return new MergeCase(text, policy, percent / 100.0);
  }
}

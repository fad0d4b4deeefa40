package io.sluice.it.mapreduce;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/** Expected result of a word count, computed without Hadoop. */
final class WordCounts {
  private WordCounts() {}

  /** The output files, partitioned like Hadoop's default partitioner. */
  static Map<String, String> files(Path input, int reduces) throws IOException {
    Map<String, Integer> counts = new TreeMap<>();
    for (String word : OutputFiles.text(input).strip().split("\\s+")) {
      counts.merge(word, 1, Integer::sum);
    }
    Map<String, String> files = new TreeMap<>();
    for (int reduce = 0; reduce < reduces; reduce++) {
      files.put("part-r-%05d".formatted(reduce), "");
    }
    counts.forEach(
        (word, count) ->
            files.merge(
                "part-r-%05d".formatted((hash(word) & Integer.MAX_VALUE) % reduces),
                word + "\t" + count + "\n",
                String::concat));
    return files;
  }

  /** Hash code of Hadoop's {@code Text}. */
  private static int hash(String word) {
    int hash = 1;
    for (byte letter : word.getBytes(StandardCharsets.UTF_8)) {
      hash = 31 * hash + letter;
    }
    return hash;
  }
}

package io.sluice.common.docs;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/** Reads the rows of documentation tables for tests. */
public final class DocumentedTable {
  private static final Pattern NAME = Pattern.compile("`([^`]+)`");

  /**
   * A row.
   *
   * @param cells cells without surrounding blanks
   */
  public record Row(List<String> cells) {
    public String cell(int index) {
      return cells.get(index);
    }

    /** Texts marked as code in the first cell. */
    public List<String> names() {
      return NAME.matcher(cells.get(0)).results().map(result -> result.group(1)).toList();
    }
  }

  private DocumentedTable() {}

  /** All rows of all tables under a heading of the second level, without their headers. */
  public static List<Row> of(String file, String heading) {
    List<Row> rows = new ArrayList<>();
    boolean inside = false;
    boolean body = false;
    for (String line : Checkout.lines("docs/" + file)) {
      if (line.startsWith("## ")) {
        inside = line.equals("## " + heading);
      }
      if (inside && line.startsWith("| ---")) {
        body = true;
      } else if (!line.startsWith("|")) {
        body = false;
      } else if (inside && body) {
        rows.add(
            new Row(Arrays.stream(line.substring(1).split("\\|", -1)).map(String::strip).toList()));
      }
    }
    if (rows.isEmpty()) {
      throw new IllegalStateException("no table under \"" + heading + "\" in docs/" + file);
    }
    return rows;
  }
}

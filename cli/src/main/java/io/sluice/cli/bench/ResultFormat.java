package io.sluice.cli.bench;

import io.sluice.cli.bench.BenchTable.Chart;
import io.sluice.cli.bench.BenchTable.Column;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Files with the results of benchmarks:
 *
 * <pre>
 * {
 *   "format": 1,
 *   "command": "magnet",
 *   "options": {"--rounds": "5"},
 *   "date": "2026-11-25",
 *   "versions": {"sluice": "…", "java": "…"},
 *   "machine": {"processors": "2", …},
 *   "tables": [{
 *     "name": "push", "title": "…",
 *     "columns": [{"name": "block"}, {"name": "GiB/s", "decimals": 2}],
 *     "rows": [["10KiB", 1.25], …],
 *     "charts": [{"title": "…", "unit": "GiB/s", "kind": "bars", "labels": "block", "by": "",
 *       "values": ["GiB/s"]}]
 *   }],
 *   "notes": ["…"]
 * }
 * </pre>
 *
 * <p>A column without {@code decimals} has texts; a missing cell is null. A reader ignores unknown
 * fields and refuses another format.
 */
public final class ResultFormat {
  private static final int FORMAT = 1;
  private static final long MAX_FILE_BYTES = 16 << 20;
  private static final JsonMapper MAPPER =
      JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

  private ResultFormat() {}

  /** Writes a file, or replaces it. */
  public static void write(Path file, BenchResult result) throws IOException {
    Files.writeString(file, toJson(result));
  }

  static String toJson(BenchResult result) {
    ObjectNode json = MAPPER.createObjectNode();
    json.put("format", FORMAT);
    json.put("command", result.command());
    putAll(json.putObject("options"), result.options());
    json.put("date", result.date());
    putAll(json.putObject("versions"), result.versions());
    putAll(json.putObject("machine"), result.machine());
    ArrayNode tables = json.putArray("tables");
    result.tables().forEach(table -> put(tables.addObject(), table));
    ArrayNode notes = json.putArray("notes");
    result.notes().forEach(notes::add);
    return MAPPER.writeValueAsString(json) + "\n";
  }

  private static void putAll(ObjectNode json, Map<String, String> values) {
    values.forEach(json::put);
  }

  private static void put(ObjectNode json, BenchTable table) {
    json.put("name", table.name()).put("title", table.title());
    ArrayNode columns = json.putArray("columns");
    for (Column column : table.columns()) {
      ObjectNode one = columns.addObject().put("name", column.name());
      if (column.isNumber()) {
        one.put("decimals", column.decimals());
      }
    }
    ArrayNode rows = json.putArray("rows");
    for (List<Object> row : table.rows()) {
      ArrayNode cells = rows.addArray();
      row.forEach(cell -> cells.addPOJO(cell));
    }
    ArrayNode charts = json.putArray("charts");
    for (Chart chart : table.charts()) {
      ObjectNode one =
          charts
              .addObject()
              .put("title", chart.title())
              .put("unit", chart.unit())
              .put("kind", chart.kind().name().toLowerCase(Locale.ROOT))
              .put("labels", chart.labels())
              .put("by", chart.by());
      ArrayNode values = one.putArray("values");
      chart.values().forEach(values::add);
    }
  }

  /**
   * Reads a file.
   *
   * @throws IOException if it cannot be read or is no file of results, with a message of one line
   */
  public static BenchResult read(Path file) throws IOException {
    if (Files.size(file) > MAX_FILE_BYTES) {
      throw new IOException(
          file
              + ": "
              + Files.size(file)
              + " bytes, but a file of results has at most "
              + MAX_FILE_BYTES);
    }
    try {
      return parse(MAPPER.readTree(Files.readString(file)));
    } catch (JacksonException wrong) {
      throw new IOException(file + ": not JSON: " + wrong.getOriginalMessage(), wrong);
    } catch (IllegalArgumentException wrong) {
      throw new IOException(file + ": not a file of `bench --json`: " + wrong.getMessage(), wrong);
    }
  }

  private static BenchResult parse(JsonNode json) {
    int format = json.path("format").asInt(0);
    if (format != FORMAT) {
      throw new IllegalArgumentException("expected format " + FORMAT + ", found " + format);
    }
    List<BenchTable> tables = new ArrayList<>();
    for (JsonNode table : array(json, "tables")) {
      tables.add(table(table));
    }
    return new BenchResult(
        text(json, "command"),
        texts(json, "options"),
        text(json, "date"),
        texts(json, "versions"),
        texts(json, "machine"),
        List.copyOf(tables),
        strings(json, "notes"));
  }

  private static BenchTable table(JsonNode json) {
    List<Column> columns = new ArrayList<>();
    for (JsonNode column : array(json, "columns")) {
      columns.add(new Column(text(column, "name"), column.path("decimals").asInt(Column.TEXT)));
    }
    BenchTable table = new BenchTable(text(json, "name"), text(json, "title"), columns);
    for (JsonNode row : array(json, "rows")) {
      List<Object> cells = new ArrayList<>();
      for (JsonNode cell : row) {
        cells.add(cell.isNull() ? null : cell.isNumber() ? cell.doubleValue() : cell.asString());
      }
      table.row(cells.toArray());
    }
    for (JsonNode chart : array(json, "charts")) {
      table.chart(
          new Chart(
              text(chart, "title"),
              text(chart, "unit"),
              Chart.Kind.valueOf(text(chart, "kind").toUpperCase(Locale.ROOT)),
              text(chart, "labels"),
              text(chart, "by"),
              strings(chart, "values")));
    }
    return table;
  }

  private static JsonNode array(JsonNode json, String field) {
    JsonNode found = json.path(field);
    if (!found.isArray()) {
      throw new IllegalArgumentException("field \"" + field + "\" is not an array");
    }
    return found;
  }

  private static String text(JsonNode json, String field) {
    JsonNode found = json.path(field);
    if (!found.isString()) {
      throw new IllegalArgumentException("field \"" + field + "\" is not a text");
    }
    return found.stringValue();
  }

  private static List<String> strings(JsonNode json, String field) {
    List<String> found = new ArrayList<>();
    for (JsonNode text : array(json, field)) {
      found.add(text.asString());
    }
    return List.copyOf(found);
  }

  private static Map<String, String> texts(JsonNode json, String field) {
    Map<String, String> found = new LinkedHashMap<>();
    json.path(field)
        .properties()
        .forEach(entry -> found.put(entry.getKey(), entry.getValue().asString()));
    return found;
  }
}

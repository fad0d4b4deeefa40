package io.sluice.cli.admin;

import com.google.protobuf.MessageOrBuilder;
import com.google.protobuf.util.JsonFormat;
import io.sluice.cli.control.OptionTypes;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Output options of a command: prints tables or JSON. */
final class Output {
  private static final JsonMapper INDENTED =
      JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

  @Spec(Target.MIXEE)
  private CommandSpec spec;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORM",
      defaultValue = "table",
      converter = FormConverter.class,
      description =
          "Output format: table; wide, with more columns; or json, the coordinator's answer as in"
              + " docs/openapi.yaml. Default ${DEFAULT-VALUE}.")
  private Form form;

  @Option(names = "--json", hidden = true, description = "Same as --output json.")
  private boolean json;

  /** Output formats. */
  enum Form {
    TABLE,
    WIDE,
    JSON;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Parses the lower-case name of a format. */
  static final class FormConverter implements ITypeConverter<Form> {
    @Override
    public Form convert(String text) {
      return OptionTypes.oneOf(Form.values(), text);
    }
  }

  boolean isJson() {
    return json || form == Form.JSON;
  }

  boolean isWide() {
    return form == Form.WIDE;
  }

  void text(Object text) {
    PrintWriter out = spec.commandLine().getOut();
    out.print(text);
    out.flush();
  }

  void line(String text) {
    text(text + "\n");
  }

  /** Prints indented JSON. */
  void json(JsonNode answer) {
    line(INDENTED.writeValueAsString(answer));
  }

  /** Prints JSON on one line, for output with one object per line. */
  void jsonLine(JsonNode answer) {
    line(answer.toString());
  }

  /** Prints one array in protobuf's JSON mapping, in which 64-bit numbers are strings. */
  void json(List<? extends MessageOrBuilder> messages) throws IOException {
    StringBuilder array = new StringBuilder("[");
    for (MessageOrBuilder message : messages) {
      array
          .append(array.length() == 1 ? "\n" : ",\n")
          .append(JsonFormat.printer().alwaysPrintFieldsWithNoPresence().print(message));
    }
    text(array.append("\n]\n"));
  }
}

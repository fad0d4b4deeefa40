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

/** Prints answers for people or for programs. */
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
          "${COMPLETION-CANDIDATES}: columns; more of them; what the coordinator answers, as in"
              + " docs/openapi.yaml. Default ${DEFAULT-VALUE}.")
  private Form form;

  @Option(names = "--json", hidden = true, description = "As --output json.")
  private boolean json;

  /** For whom it is printed. */
  enum Form {
    TABLE,
    WIDE,
    JSON;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Reads lower case. */
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

  /** For people to read, too. */
  void json(JsonNode answer) {
    line(INDENTED.writeValueAsString(answer));
  }

  /** One line: for a stream of them. */
  void jsonLine(JsonNode answer) {
    line(answer.toString());
  }

  /** One array, in protobuf's mapping: 64-bit numbers are strings. */
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

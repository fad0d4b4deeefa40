package io.sluice.cli.admin;

import com.google.protobuf.MessageOrBuilder;
import com.google.protobuf.util.JsonFormat;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** Prints replies for people or, with {@code --json}, for programs. */
final class Output {
  @Spec(Target.MIXEE)
  private CommandSpec spec;

  @Option(
      names = "--json",
      description = "Print the reply as JSON (protobuf's mapping: 64-bit numbers are strings).")
  private boolean json;

  boolean isJson() {
    return json;
  }

  void text(Object text) {
    PrintWriter out = spec.commandLine().getOut();
    out.print(text);
    out.flush();
  }

  void json(MessageOrBuilder message) throws IOException {
    text(toJson(message) + "\n");
  }

  /** One array. */
  void json(List<? extends MessageOrBuilder> messages) throws IOException {
    StringBuilder array = new StringBuilder("[");
    for (MessageOrBuilder message : messages) {
      array.append(array.length() == 1 ? "\n" : ",\n").append(toJson(message));
    }
    text(array.append("\n]\n"));
  }

  private static String toJson(MessageOrBuilder message) throws IOException {
    return JsonFormat.printer().alwaysPrintFieldsWithNoPresence().print(message);
  }
}

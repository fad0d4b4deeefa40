package io.sluice.benchmark.compatibility;

import io.sluice.client.ClientConfig;
import io.sluice.client.SluiceClient;
import io.sluice.client.opaque.PartitionPusher;
import io.sluice.client.opaque.PartitionReader;
import io.sluice.client.opaque.PartitionStream;
import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSchema;
import io.sluice.common.docs.Checkout;
import io.sluice.coordinator.CoordinatorConfig;
import io.sluice.coordinator.http.CoordinatorMetrics;
import io.sluice.metrics.Metric;
import io.sluice.server.ServerConfig;
import io.sluice.server.http.ServerRegistry;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/**
 * The interface of a build, one line for each part that a user or program can depend on:
 *
 * <pre>
 *   key SCHEMA NAME TYPE            a configuration key; of a fixed list, a line for each value
 *   accepted SCHEMA NAME            an earlier name, or a key without effect
 *   metric NAME KIND LABELS         a metric of any process
 *   rest NAME DETAIL                an operation, parameter, field or value of the REST API
 *   java METHOD RESULT              a method of the Java API for engines that push opaque bytes
 * </pre>
 */
final class PublicInterface {
  /** Parts of the OpenAPI document that only describe, or that a compatible change may alter. */
  private static final Set<String> DESCRIPTIONS =
      Set.of(
          "description",
          "summary",
          "examples",
          "title",
          "tags",
          "operationId",
          "format",
          "minimum",
          "maximum",
          "default",
          "minItems",
          "maxItems",
          "maxLength",
          "pattern",
          "unevaluatedProperties",
          "security");

  private static final String ONE_OF = "one of ";

  private final Set<String> lines = new TreeSet<>();

  private PublicInterface() {}

  /** Sorted lines. */
  static Set<String> lines() {
    PublicInterface all = new PublicInterface();
    all.keys(CoordinatorConfig.SCHEMA);
    all.keys(ServerConfig.SCHEMA);
    all.keys(ClientConfig.SCHEMA);
    Stream.concat(CoordinatorMetrics.metrics().stream(), ServerRegistry.metrics().stream())
        .forEach(all::metric);
    Stream.of(PartitionPusher.class, PartitionReader.class, PartitionStream.class)
        .flatMap(type -> Stream.of(type.getDeclaredMethods()))
        .forEach(all::javaMethod);
    Stream.of(SluiceClient.class.getMethods())
        .filter(method -> method.getName().startsWith("partition"))
        .forEach(all::javaMethod);
    JsonNode document = new YAMLMapper().readTree(Checkout.text("docs/openapi.yaml"));
    all.rest("", document.get("paths"));
    all.rest("", document.at("/components/schemas"));
    all.rest("parameter", document.at("/components/parameters"));
    return all.lines;
  }

  /** The name that a line is about, as the table of changed interfaces has it. */
  static String name(String line) {
    String[] words = line.split(" ", -1);
    return words[0].equals("key") || words[0].equals("accepted") ? words[2] : words[1];
  }

  private void keys(ConfigSchema schema) {
    for (ConfigKey<?> key : schema.keys()) {
      String line = "key " + schema.name() + " " + schema.shownPrefix() + key.name() + " ";
      String form = key.valueForm();
      if (form.startsWith(ONE_OF)) {
        String values = form.substring(ONE_OF.length()).replaceFirst(";.*", "");
        Stream.of(values.split(", ")).forEach(value -> lines.add(line + value));
      } else {
        lines.add(line + form.replaceFirst("[,;].*", ""));
      }
      key.deprecatedNames().forEach(name -> accepted(schema, name));
    }
    schema.ignored().forEach(key -> accepted(schema, key.name()));
    schema.passedOn().forEach(family -> accepted(schema, family.prefix() + "*"));
  }

  private void accepted(ConfigSchema schema, String name) {
    lines.add("accepted " + schema.name() + " " + schema.shownPrefix() + name);
  }

  private void metric(Metric metric) {
    String kind = metric.kind().name().toLowerCase(Locale.ROOT);
    String labels = metric.labels().isEmpty() ? "" : " " + String.join(",", metric.labels());
    lines.add("metric " + metric.name() + " " + kind + labels);
  }

  private void javaMethod(Method method) {
    if (Modifier.isPublic(method.getModifiers()) && !method.isSynthetic()) {
      String parameters =
          Stream.of(method.getParameterTypes())
              .map(Class::getTypeName)
              .collect(Collectors.joining(","));
      lines.add(
          "java "
              + method.getDeclaringClass().getName()
              + "."
              + method.getName()
              + "("
              + parameters
              + ") "
              + method.getReturnType().getTypeName());
    }
  }

  /** Adds the leaves of a part of the document; names of fields can be those of keywords. */
  private void rest(String name, JsonNode node) {
    if (node.isObject()) {
      for (String part : node.propertyNames()) {
        if (part.equals("properties")) {
          JsonNode fields = node.get(part);
          fields.propertyNames().forEach(field -> rest(joined(name, field), fields.get(field)));
        } else if (!DESCRIPTIONS.contains(part)) {
          rest(joined(name, part), node.get(part));
        }
      }
    } else if (node.isArray()) {
      // Elements of lists, such as values of an enumeration, can change their order.
      node.valueStream().forEach(element -> rest(name, element));
    } else {
      int end = name.lastIndexOf('.');
      String keyword = name.substring(end + 1);
      lines.add("rest " + name.substring(0, end) + " " + keyword + "=" + node.asString());
    }
  }

  private static String joined(String name, String part) {
    return name.isEmpty() ? part : name + "." + part;
  }
}

package io.sluice.coordinator.api;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** A path with parameters, such as {@code /api/v1/servers/{server}}. Immutable. */
final class PathTemplate {
  private final String text;
  private final String[] segments;

  PathTemplate(String text) {
    this.text = text;
    this.segments = text.split("/", -1);
  }

  String text() {
    return text;
  }

  /** Returns the decoded parameters if a path matches. */
  Optional<Map<String, String>> match(String path) throws ApiException {
    String[] found = path.split("/", -1);
    if (found.length != segments.length) {
      return Optional.empty();
    }
    Map<String, String> names = new HashMap<>();
    for (int i = 0; i < segments.length; i++) {
      if (segments[i].startsWith("{")) {
        if (found[i].isEmpty()) {
          return Optional.empty();
        }
        names.put(segments[i].substring(1, segments[i].length() - 1), decoded(found[i]));
      } else if (!segments[i].equals(found[i])) {
        return Optional.empty();
      }
    }
    return Optional.of(names);
  }

  /** Returns the decoded parameters of a query. A plus is a plus; a space is {@code %20}. */
  static Map<String, String> query(String query) throws ApiException {
    Map<String, String> parameters = new HashMap<>();
    if (query == null || query.isEmpty()) {
      return parameters;
    }
    for (String pair : query.split("&")) {
      int equals = pair.indexOf('=');
      if (equals > 0) {
        parameters.put(decoded(pair.substring(0, equals)), decoded(pair.substring(equals + 1)));
      }
    }
    return parameters;
  }

  private static String decoded(String encoded) throws ApiException {
    try {
      // URLDecoder would decode a plus as a space. User names contain it.
      return URLDecoder.decode(encoded.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw new ApiException(
          400, "URL: expected two hexadecimal digits after each percent sign", e);
    }
  }
}

package io.sluice.coordinator.http;

import io.sluice.coordinator.api.ApiRoutes;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;

/**
 * The files of the web pages, read from the class path once. Only listed paths exist, so that a
 * request can never name another resource. Immutable, thread-safe.
 */
final class Assets {
  private static final String UI = "/io/sluice/coordinator/ui/";
  private static final String HTML = "text/html; charset=utf-8";
  private static final String SCRIPT = "text/javascript; charset=utf-8";
  private static final String STYLE = "text/css; charset=utf-8";

  private static final String[] SCRIPTS = {
    "main.js",
    "api.js",
    "operations.js",
    "session.js",
    "sign-in.js",
    "dom.js",
    "format.js",
    "parts.js",
    "table.js",
    "pager.js",
    "explanation.js",
    "charts.js",
    "theme.js",
    "page-cluster.js",
    "page-server.js",
    "page-application.js",
    "page-shuffle.js",
    "page-finished.js",
    "page-events.js"
  };

  private final Map<String, Asset> byPath = new LinkedHashMap<>();

  private static final class Asset {
    private final String contentType;
    private final byte[] body;
    private final String tag;

    private Asset(String contentType, byte[] body, String tag) {
      this.contentType = contentType;
      this.body = body;
      this.tag = tag;
    }
  }

  Assets() {
    add("/", HTML, UI + "index.html");
    add("/ui/style.css", STYLE, UI + "style.css");
    add("/ui/icon.svg", "image/svg+xml", UI + "icon.svg");
    for (String script : SCRIPTS) {
      add("/ui/" + script, SCRIPT, UI + script);
    }
    add(
        "/ui/lib/chart.umd.min.js",
        SCRIPT,
        "/META-INF/resources/webjars/chart.js/" + version("chart.js") + "/dist/chart.umd.min.js");
    add(
        ApiRoutes.PREFIX + "openapi.yaml",
        "application/yaml",
        "/io/sluice/coordinator/openapi.yaml");
  }

  /**
   * The reply for a path, or null if there is no such file.
   *
   * @param knownTag ETag of the copy that the client has, or null
   */
  Reply find(String path, String knownTag) {
    Asset asset = byPath.get(path);
    if (asset == null) {
      return null;
    }
    // The browser revalidates at each visit and gets 304 if unchanged: no old pages after an
    // upgrade.
    Map<String, String> headers = Map.of("ETag", asset.tag, "Cache-Control", "no-cache");
    return asset.tag.equals(knownTag)
        ? new Reply(Reply.NOT_MODIFIED, asset.contentType, new byte[0], headers)
        : new Reply(Reply.OK, asset.contentType, asset.body, headers);
  }

  private void add(String path, String contentType, String resource) {
    byte[] body = read(resource);
    byPath.put(path, new Asset(contentType, body, tag(body)));
  }

  private static String tag(byte[] body) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(body);
      return '"' + HexFormat.of().formatHex(Arrays.copyOf(digest, 12)) + '"';
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("SHA-256 is not available in this JVM", e);
    }
  }

  /** The files of a WebJar are in a directory named after its version. */
  private static String version(String library) {
    Properties properties = new Properties();
    String resource = "/META-INF/maven/org.webjars.npm/" + library + "/pom.properties";
    try {
      properties.load(new StringReader(new String(read(resource), StandardCharsets.ISO_8859_1)));
    } catch (IOException e) {
      throw new UncheckedIOException(resource, e);
    }
    return properties.getProperty("version");
  }

  private static byte[] read(String resource) {
    try (InputStream in = Assets.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException("resource is missing on the class path: " + resource);
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(resource, e);
    }
  }
}

package io.sluice.storage.hadoop;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An object store with the part of S3's API that S3A uses, on a port of the loopback interface. It
 * has one bucket, does not check signatures, and counts requests.
 */
final class S3Server implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(S3Server.class);

  private static final String NAMESPACE = "http://s3.amazonaws.com/doc/2006-03-01/";
  private static final Pattern KEY = Pattern.compile("<Key>([^<]+)</Key>");
  private static final Pattern RANGE = Pattern.compile("bytes=(\\d+)-(\\d*)");
  private static final int MAX_KEYS = 1000;

  private final String bucket;
  private final S3Objects objects;
  private final HttpServer http;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final Map<String, AtomicLong> requests = new ConcurrentHashMap<>();
  private final AtomicLong putBytes = new AtomicLong();
  private final AtomicLong markers = new AtomicLong();
  private final AtomicLong refused = new AtomicLong();
  private volatile Predicate<Long> refusal = number -> false;
  private volatile Predicate<Long> stall = number -> false;
  private final AtomicLong stalled = new AtomicLong();
  private final CountDownLatch closed = new CountDownLatch(1);
  private final AtomicLong numbers = new AtomicLong();

  /**
   * @param root directory for the objects
   * @param uploads directory for unfinished uploads
   */
  S3Server(String bucket, Path root, Path uploads) throws IOException {
    this.bucket = bucket;
    this.objects = new S3Objects(root, uploads);
    this.http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    http.setExecutor(threads);
    http.createContext("/", this::handle);
    http.start();
  }

  String address() {
    return "http://127.0.0.1:" + http.getAddress().getPort();
  }

  /** Number of requests with a method that were not refused, such as {@code PUT}. */
  long requests(String method) {
    return requests.getOrDefault(method, new AtomicLong()).get();
  }

  /** Number of requests that wrote objects for directories. */
  long markers() {
    return markers.get();
  }

  /** Number of requests of each method, as text. */
  String requests() {
    return new TreeMap<>(requests).toString();
  }

  /** Bytes of the objects and parts in these requests with PUT. */
  long putBytes() {
    return putBytes.get();
  }

  /** Number of requests that were refused. */
  long refused() {
    return refused.get();
  }

  /** Number of requests that were not answered. */
  long stalled() {
    return stalled.get();
  }

  /** Does not answer requests; chosen by the number of a request. */
  void stall(Predicate<Long> requests) {
    stall = requests;
  }

  /** Answers requests with 503, as S3 does above its limits; chosen by the number of a request. */
  void refuse(Predicate<Long> requests) {
    refusal = requests;
  }

  @Override
  public void close() {
    LOG.info("object store closed requests={} markers={} putBytes={}", requests, markers, putBytes);
    closed.countDown();
    http.stop(0);
    threads.shutdownNow();
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      byte[] body = body(exchange);
      long number = numbers.incrementAndGet();
      if (stall.test(number)) {
        stalled.incrementAndGet();
        closed.await();
        return;
      }
      if (refusal.test(number)) {
        refused.incrementAndGet();
        error(exchange, 503, "SlowDown");
        return;
      }
      requests
          .computeIfAbsent(exchange.getRequestMethod(), unused -> new AtomicLong())
          .incrementAndGet();
      String path = exchange.getRequestURI().getPath();
      Map<String, String> query = query(exchange.getRequestURI().getRawQuery());
      String prefix = "/" + bucket;
      if (!path.equals(prefix) && !path.startsWith(prefix + "/")) {
        error(exchange, 404, "NoSuchBucket");
        return;
      }
      String key = path.length() <= prefix.length() + 1 ? "" : path.substring(prefix.length() + 1);
      if (key.isEmpty()) {
        answerForBucket(exchange, query, body);
      } else {
        answerForObject(exchange, key, query, body);
      }
    } catch (InterruptedException e) {
      // The server was closed.
      Thread.currentThread().interrupt();
    }
  }

  private void answerForBucket(HttpExchange exchange, Map<String, String> query, byte[] body)
      throws IOException {
    switch (exchange.getRequestMethod()) {
      case "HEAD" -> send(exchange, 200, new byte[0]);
      case "POST" -> {
        Matcher keys = KEY.matcher(new String(body, StandardCharsets.UTF_8));
        while (keys.find()) {
          objects.delete(keys.group(1));
        }
        xml(exchange, "<DeleteResult xmlns=\"" + NAMESPACE + "\"/>");
      }
      case "GET" -> {
        if (query.containsKey("location")) {
          xml(exchange, "<LocationConstraint xmlns=\"" + NAMESPACE + "\"/>");
        } else if (query.containsKey("uploads")) {
          xml(exchange, "<ListMultipartUploadsResult xmlns=\"" + NAMESPACE + "\"/>");
        } else {
          list(exchange, query);
        }
      }
      default -> error(exchange, 405, "MethodNotAllowed");
    }
  }

  private void list(HttpExchange exchange, Map<String, String> query) throws IOException {
    String prefix = query.getOrDefault("prefix", "");
    String delimiter = query.getOrDefault("delimiter", "");
    String after = query.getOrDefault("continuation-token", query.getOrDefault("start-after", ""));
    int most = Integer.parseInt(query.getOrDefault("max-keys", Integer.toString(MAX_KEYS)));
    StringBuilder entries = new StringBuilder();
    NavigableSet<String> keys = new TreeSet<>(objects.keys(prefix).tailSet(after, false));
    int count = 0;
    String last = "";
    while (!keys.isEmpty() && count < most) {
      String key = keys.pollFirst();
      int end = delimiter.isEmpty() ? -1 : key.indexOf(delimiter, prefix.length());
      if (end < 0) {
        entries.append(entry(key));
        last = key;
      } else {
        String common = key.substring(0, end + delimiter.length());
        entries.append("<CommonPrefixes><Prefix>" + common + "</Prefix></CommonPrefixes>");
        keys.removeIf(other -> other.startsWith(common));
        last = common + Character.MAX_VALUE;
      }
      count++;
    }
    xml(
        exchange,
        "<ListBucketResult xmlns=\""
            + NAMESPACE
            + "\"><Name>"
            + bucket
            + "</Name><Prefix>"
            + prefix
            + "</Prefix><KeyCount>"
            + count
            + "</KeyCount><MaxKeys>"
            + most
            + "</MaxKeys><IsTruncated>"
            + !keys.isEmpty()
            + "</IsTruncated>"
            + (keys.isEmpty() ? "" : "<NextContinuationToken>" + last + "</NextContinuationToken>")
            + entries
            + "</ListBucketResult>");
  }

  /** Empty if the object was deleted meanwhile. */
  private String entry(String key) throws IOException {
    try {
      return "<Contents><Key>"
          + key
          + "</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified><ETag>&quot;"
          + objects.tag(key)
          + "&quot;</ETag><Size>"
          + objects.size(key)
          + "</Size><StorageClass>STANDARD</StorageClass></Contents>";
    } catch (java.nio.file.NoSuchFileException e) {
      return "";
    }
  }

  private void answerForObject(
      HttpExchange exchange, String key, Map<String, String> query, byte[] body)
      throws IOException {
    String upload = query.getOrDefault("uploadId", "");
    boolean isUpload = !upload.isEmpty();
    if (isUpload && !objects.hasUpload(upload)) {
      error(exchange, 404, "NoSuchUpload");
      return;
    }
    switch (exchange.getRequestMethod()) {
      case "HEAD", "GET" -> read(exchange, key);
      case "DELETE" -> {
        if (isUpload) {
          objects.abortUpload(upload);
        } else {
          objects.delete(key);
        }
        send(exchange, 204, new byte[0]);
      }
      case "PUT" -> {
        putBytes.addAndGet(body.length);
        if (key.endsWith("/")) {
          markers.incrementAndGet();
        }
        Headers headers = exchange.getRequestHeaders();
        if (isUpload) {
          objects.writePart(upload, Integer.parseInt(query.get("partNumber")), body);
        } else if ("*".equals(headers.getFirst("If-None-Match")) && objects.exists(key)) {
          error(exchange, 412, "PreconditionFailed");
          return;
        } else {
          objects.write(key, body);
        }
        exchange.getResponseHeaders().set("ETag", "\"" + body.length + "\"");
        send(exchange, 200, new byte[0]);
      }
      case "POST" -> {
        if (query.containsKey("uploads")) {
          xml(
              exchange,
              "<InitiateMultipartUploadResult xmlns=\""
                  + NAMESPACE
                  + "\"><Bucket>"
                  + bucket
                  + "</Bucket><Key>"
                  + key
                  + "</Key><UploadId>"
                  + objects.beginUpload()
                  + "</UploadId></InitiateMultipartUploadResult>");
        } else {
          objects.completeUpload(upload, key);
          xml(
              exchange,
              "<CompleteMultipartUploadResult xmlns=\""
                  + NAMESPACE
                  + "\"><ETag>&quot;"
                  + objects.tag(key)
                  + "&quot;</ETag></CompleteMultipartUploadResult>");
        }
      }
      default -> error(exchange, 405, "MethodNotAllowed");
    }
  }

  private void read(HttpExchange exchange, String key) throws IOException {
    byte[] contents;
    Headers headers = exchange.getResponseHeaders();
    try {
      if (!objects.exists(key)) {
        error(exchange, 404, "NoSuchKey");
        return;
      }
      contents = objects.read(key);
      headers.set("ETag", "\"" + objects.tag(key) + "\"");
    } catch (java.nio.file.NoSuchFileException e) {
      error(exchange, 404, "NoSuchKey");
      return;
    }
    headers.set(
        "Last-Modified",
        DateTimeFormatter.RFC_1123_DATE_TIME.format(Instant.EPOCH.atOffset(ZoneOffset.UTC)));
    headers.set("Accept-Ranges", "bytes");
    String wanted = exchange.getRequestHeaders().getFirst("Range");
    Matcher range = RANGE.matcher(wanted == null ? "" : wanted);
    if (!range.matches()) {
      send(exchange, 200, contents);
      return;
    }
    int first = Integer.parseInt(range.group(1));
    if (first >= contents.length) {
      error(exchange, 416, "InvalidRange");
      return;
    }
    int end =
        range.group(2).isEmpty()
            ? contents.length
            : (int) Math.min(contents.length, Long.parseLong(range.group(2)) + 1);
    headers.set("Content-Range", "bytes " + first + "-" + (end - 1) + "/" + contents.length);
    send(exchange, 206, Arrays.copyOfRange(contents, first, end));
  }

  private static Map<String, String> query(String raw) {
    Map<String, String> query = new TreeMap<>();
    if (raw != null) {
      for (String pair : raw.split("&", -1)) {
        String[] parts = pair.split("=", 2);
        query.put(
            parts[0], parts.length == 1 ? "" : URLDecoder.decode(parts[1], StandardCharsets.UTF_8));
      }
    }
    return query;
  }

  /** The whole body; bodies in the chunked encoding of AWS are decoded. */
  private static byte[] body(HttpExchange exchange) throws IOException {
    byte[] sent = exchange.getRequestBody().readAllBytes();
    if (exchange.getRequestHeaders().getFirst("x-amz-decoded-content-length") == null) {
      return sent;
    }
    ByteArrayOutputStream decoded = new ByteArrayOutputStream();
    InputStream chunks = new ByteArrayInputStream(sent);
    while (true) {
      // The length in hexadecimal digits, and a signature behind a semicolon.
      int length = Integer.parseInt(line(chunks).split(";", 2)[0], 16);
      if (length == 0) {
        return decoded.toByteArray();
      }
      decoded.write(chunks.readNBytes(length));
      line(chunks);
    }
  }

  /** The next line, without its end of line. */
  private static String line(InputStream input) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int next = input.read(); next != '\n'; next = input.read()) {
      if (next < 0) {
        throw new IOException("the body of a request ends within a chunk: " + line);
      }
      line.append((char) next);
    }
    return line.toString().strip();
  }

  private static void xml(HttpExchange exchange, String text) throws IOException {
    exchange.getResponseHeaders().set("Content-Type", "application/xml");
    send(
        exchange,
        200,
        ("<?xml version=\"1.0\" encoding=\"UTF-8\"?>" + text).getBytes(StandardCharsets.UTF_8));
  }

  private static void error(HttpExchange exchange, int status, String code) throws IOException {
    exchange.getResponseHeaders().set("Content-Type", "application/xml");
    send(
        exchange,
        status,
        ("<Error><Code>" + code + "</Code><Message>" + code + "</Message></Error>")
            .getBytes(StandardCharsets.UTF_8));
  }

  private static void send(HttpExchange exchange, int status, byte[] body) throws IOException {
    exchange.getResponseHeaders().set("x-amz-request-id", "1");
    if (exchange.getRequestMethod().equals("HEAD")) {
      exchange.getResponseHeaders().set("Content-Length", Integer.toString(body.length));
      exchange.sendResponseHeaders(status, -1);
      return;
    }
    exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
    if (body.length > 0) {
      exchange.getResponseBody().write(body);
    }
  }
}

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.SAXException;

/**
 * Checks that the licence of each library on a class path is in {@code allowed.txt}, and writes
 * {@code LICENSE} and {@code NOTICE} for an archive that contains these libraries.
 *
 * <p>{@code java Licenses.java HOME OUTPUT CLASSPATH...}: HOME is the directory of
 * this program. A class path is a list of jars in a local repository of Maven, separated by
 * colons, or the name of a file with such a list behind an {@code @}. Modules of the build are
 * skipped.
 *
 * <p>The licence of a library is that of its pom, or of the pom's parents. Its text is that in the
 * jar, or {@code texts/GROUP.txt}, where MIT and BSD licences have the names of the authors.
 */
public final class Licenses {
  private static final Pattern LICENSE_FILE =
      Pattern.compile("(META-INF/(license/)?|META-INF/.*/)?(LICENSE|COPYING)[\\w.-]*");
  private static final Pattern NOTICE_FILE = Pattern.compile("(META-INF/)?NOTICE(\\.txt|\\.md)?");
  private static final String APACHE = "Apache-2.0";
  private static final Set<String> WITH_AUTHORS = Set.of("MIT", "BSD-2-Clause", "BSD-3-Clause");
  private static final String END_OF_APACHE = "END OF TERMS AND CONDITIONS";
  private static final String END_OF_APPENDIX = "limitations under the License.";
  private static final String LINE = "=".repeat(80) + "\n";

  /**
   * A jar of another project.
   *
   * @param texts licences of parts that have another one, and texts that name authors
   */
  private record Library(
      String group, String artifact, String version, String licence, List<String> texts) {
    String name() {
      return group + ":" + artifact + ":" + version;
    }
  }

  /** A reason to end the build, in one line. */
  private static final class Refusal extends Exception {
    private static final long serialVersionUID = 1;

    Refusal(String message) {
      super(message);
    }
  }

  private final Path home;
  private final String apache;
  private final Map<String, String> allowed = new LinkedHashMap<>();
  private final Map<String, Library> libraries = new TreeMap<>();
  private final Map<String, Set<String>> notices = new TreeMap<>();

  private Licenses(Path home) throws IOException {
    this.home = home;
    apache = Files.readString(home.resolve("../../LICENSE"));
    for (String line : Files.readAllLines(home.resolve("allowed.txt"))) {
      if (!line.startsWith("#") && !line.isBlank()) {
        String[] sides = line.split(" = ", 2);
        allowed.put(key(sides[0]), sides[0]);
        for (String name : sides[1].split(" \\| ")) {
          allowed.put(key(name), sides[0]);
        }
      }
    }
  }

  public static void main(String[] args) throws IOException {
    try {
      Licenses licenses = new Licenses(Path.of(args[0]));
      for (String classPath : List.of(args).subList(2, args.length)) {
        licenses.add(classPath);
      }
      licenses.write(Files.createDirectories(Path.of(args[1])));
    } catch (Refusal e) {
      System.err.println("licenses: " + e.getMessage());
      System.exit(1);
    }
  }

  private static String key(String name) {
    return name.strip().replaceAll("\\s+", " ").toLowerCase(Locale.ROOT);
  }

  private void add(String classPath) throws IOException, Refusal {
    String jars =
        classPath.startsWith("@") ? Files.readString(Path.of(classPath.substring(1))) : classPath;
    for (String jar : jars.strip().split(":")) {
      Path path = Path.of(jar).toAbsolutePath().normalize();
      boolean ofTheBuild = path.toString().contains("/target/");
      if (!ofTheBuild && Files.isRegularFile(path)) {
        add(path);
      }
    }
  }

  private void add(Path jar) throws IOException, Refusal {
    Path directory = jar.getParent();
    String version = directory.getFileName().toString();
    String artifact = directory.getParent().getFileName().toString();
    Element pom = pom(directory, artifact, version);
    String group =
        text(pom, "groupId")
            .or(() -> child(pom, "parent").flatMap(parent -> text(parent, "groupId")))
            .orElseThrow(() -> new Refusal(jar + " has a pom without a group"));
    if (group.equals("io.sluice")) {
      return;
    }
    Path repository = directory.getParent().getParent();
    for (int i = 0; i < group.split("\\.").length; i++) {
      repository = repository.getParent();
    }
    String name = group + ":" + artifact + ":" + version;
    String licence = licence(name, names(repository, pom));
    libraries.put(
        name, new Library(group, artifact, version, licence, texts(name, group, licence, jar)));
  }

  private static Element pom(Path directory, String artifact, String version)
      throws IOException, Refusal {
    Path file = directory.resolve(artifact + "-" + version + ".pom");
    if (!Files.exists(file)) {
      throw new Refusal("no pom beside the jar: " + file);
    }
    try (InputStream in = Files.newInputStream(file)) {
      DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
      factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
      return factory.newDocumentBuilder().parse(in).getDocumentElement();
    } catch (ParserConfigurationException | SAXException e) {
      throw new Refusal(file + " cannot be read: " + e.getMessage());
    }
  }

  /** The licences in a pom or, if it has none, in the nearest parent that has. */
  private static List<String> names(Path repository, Element pom) throws IOException, Refusal {
    Element current = pom;
    while (true) {
      List<String> names = new ArrayList<>();
      child(current, "licenses")
          .ifPresent(
              all -> children(all, "license").forEach(one -> text(one, "name").ifPresent(names::add)));
      Optional<Element> parent = child(current, "parent");
      if (!names.isEmpty() || parent.isEmpty()) {
        return names;
      }
      String artifact = text(parent.get(), "artifactId").orElseThrow();
      String version = text(parent.get(), "version").orElseThrow();
      Path directory =
          repository
              .resolve(text(parent.get(), "groupId").orElseThrow().replace('.', '/'))
              .resolve(artifact)
              .resolve(version);
      current = pom(directory, artifact, version);
    }
  }

  private String licence(String library, List<String> names) throws Refusal {
    for (String id : new LinkedHashSet<>(allowed.values())) {
      if (names.stream().anyMatch(name -> id.equals(allowed.get(key(name))))) {
        return id;
      }
    }
    throw new Refusal(
        library
            + " has no allowed licence, its pom names "
            + names
            + "; see deploy/licenses/allowed.txt");
  }

  /** Texts of a library that differ from the licence of Sluice. */
  private List<String> texts(String library, String group, String licence, Path jar)
      throws IOException, Refusal {
    List<String> texts = new ArrayList<>();
    try (ZipFile zip = new ZipFile(jar.toFile())) {
      for (ZipEntry entry : sorted(zip)) {
        if (LICENSE_FILE.matcher(entry.getName()).matches()) {
          String text = read(zip, entry);
          String other = withoutApache(text);
          if (!other.isBlank()) {
            texts.add(other);
          }
        } else if (NOTICE_FILE.matcher(entry.getName()).matches()) {
          notices.computeIfAbsent(read(zip, entry), unused -> new TreeSet<>()).add(library);
        }
      }
    }
    Path own = home.resolve("texts/" + group + ".txt");
    if (Files.exists(own)) {
      texts.add(Files.readString(own));
    }
    if (texts.isEmpty() && WITH_AUTHORS.contains(licence)) {
      throw new Refusal(
          library + " (" + licence + ") has no text of its licence; add deploy/licenses/texts/"
              + group + ".txt");
    }
    if (!licence.equals(APACHE) && !WITH_AUTHORS.contains(licence) && texts.isEmpty()) {
      texts.add(Files.readString(home.resolve("texts/" + licence + ".txt")));
    }
    return texts;
  }

  private static List<? extends ZipEntry> sorted(ZipFile zip) {
    return zip.stream()
        .filter(entry -> !entry.isDirectory())
        .sorted(Comparator.comparing(ZipEntry::getName))
        .toList();
  }

  private static String read(ZipFile zip, ZipEntry entry) {
    try (InputStream in = zip.getInputStream(entry)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).replace("\r\n", "\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What follows the Apache licence in a text that begins with it; any other text unchanged. */
  private static String withoutApache(String text) {
    int end = text.indexOf(END_OF_APACHE);
    if (end < 0 || !key(text).startsWith("apache license version 2.0")) {
      return text;
    }
    String rest = text.substring(end + END_OF_APACHE.length());
    int appendix = rest.indexOf(END_OF_APPENDIX);
    return appendix < 0 ? rest : rest.substring(appendix + END_OF_APPENDIX.length());
  }

  private void write(Path output) throws IOException {
    StringBuilder license = new StringBuilder(apache);
    license.append("\n").append(LINE).append("This archive contains these libraries, or parts of them:\n\n");
    Map<String, Set<String>> texts = new LinkedHashMap<>();
    for (Library library : libraries.values()) {
      license.append(library.name()).append(": ").append(library.licence()).append('\n');
      for (String text : library.texts()) {
        texts.computeIfAbsent(text.strip(), unused -> new TreeSet<>()).add(library.name());
      }
    }
    license.append("\nThe text of Apache-2.0 is above; other texts, and those of parts, follow.\n");
    texts.forEach((text, names) -> section(license, names, text));
    Files.writeString(output.resolve("LICENSE"), license);

    StringBuilder notice = new StringBuilder(Files.readString(home.resolve("../../NOTICE")));
    notices.forEach((text, names) -> section(notice, names, text.strip()));
    Files.writeString(output.resolve("NOTICE"), notice);
  }

  private static void section(StringBuilder page, Set<String> names, String text) {
    page.append('\n').append(LINE);
    page.append(String.join("\n", names)).append("\n\n").append(text).append('\n');
  }

  private static Optional<String> text(Element element, String name) {
    return child(element, name).map(found -> found.getTextContent().strip());
  }

  private static Optional<Element> child(Element element, String name) {
    return children(element, name).stream().findFirst();
  }

  private static List<Element> children(Element element, String name) {
    List<Element> found = new ArrayList<>();
    for (Node node = element.getFirstChild(); node != null; node = node.getNextSibling()) {
      if (node instanceof Element one && one.getTagName().equals(name)) {
        found.add(one);
      }
    }
    return found;
  }
}

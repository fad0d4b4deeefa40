package io.sluice.spark.ui;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import org.apache.spark.ui.SparkUITab;
import org.apache.spark.ui.UIUtils$;
import scala.Function0;
import scala.collection.immutable.$colon$colon;
import scala.collection.immutable.List;
import scala.collection.immutable.Nil$;
import scala.collection.immutable.Seq;
import scala.runtime.AbstractFunction0;
import scala.xml.Node;
import scala.xml.Unparsed;

/**
 * Renders content inside the frame of Spark's web pages. Uses reflection, because Spark's function
 * for it has gained parameters (with defaults) between versions.
 */
final class PageFrame {
  private static final String FUNCTION = "headerSparkPage";
  private static final int REQUIRED = 4;

  private PageFrame() {}

  /**
   * @param request HTTP request, whose type differs between Spark versions
   * @param html content of the page
   */
  static Seq<Node> around(Object request, SparkUITab tab, String title, String html) {
    Function0<List<Node>> contents =
        new AbstractFunction0<>() {
          @Override
          public List<Node> apply() {
            return listOf(new Unparsed(html));
          }
        };
    Object functions = UIUtils$.MODULE$;
    Method function =
        Arrays.stream(functions.getClass().getMethods())
            .filter(method -> method.getName().equals(FUNCTION))
            .findFirst()
            .orElseThrow(
                () -> new IllegalStateException("Spark has no method UIUtils." + FUNCTION));
    Object[] arguments = new Object[function.getParameterCount()];
    arguments[0] = request;
    arguments[1] = title;
    arguments[2] = contents;
    arguments[3] = tab;
    try {
      for (int i = REQUIRED; i < arguments.length; i++) {
        arguments[i] =
            functions.getClass().getMethod(FUNCTION + "$default$" + (i + 1)).invoke(functions);
      }
      @SuppressWarnings("unchecked") // Its declared type in all versions is a Seq of nodes.
      Seq<Node> page = (Seq<Node>) function.invoke(functions, arguments);
      return page;
    } catch (InvocationTargetException | IllegalAccessException | NoSuchMethodException e) {
      throw new IllegalStateException("cannot render a Spark page", e);
    }
  }

  /** A list with one element. */
  static <T> List<T> listOf(T element) {
    @SuppressWarnings("unchecked") // Empty: it has elements of any type.
    List<T> none = (List<T>) (List<?>) Nil$.MODULE$;
    return new $colon$colon<>(element, none);
  }
}

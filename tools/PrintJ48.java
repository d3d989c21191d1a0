import java.io.BufferedReader;
import java.io.InputStreamReader;
import weka.classifiers.trees.J48;
import weka.classifiers.trees.j48.C45Split;
import weka.classifiers.trees.j48.ClassifierSplitModel;
import weka.classifiers.trees.j48.ClassifierTree;
import weka.classifiers.trees.j48.Distribution;
import weka.core.Instances;
import weka.core.Utils;
import weka.core.converters.ConverterUtils.DataSource;

/**
 * Prints the trees that J48 grows. Reads lines "file.arff TAB options" from the standard input; answers each with the
 * nodes in preorder, one in a line, and an empty line.
 *
 * A line has the attribute that the node splits by (-1 at leaves), its threshold (which says nothing of nominal ones), and the
 * weights of its classes. Children without samples are lines "-2".
 */
public class PrintJ48 {

  /** Lets its tree be read. */
  private static class OpenJ48 extends J48 {
    ClassifierTree root() {
      return m_root;
    }
  }

  public static void main(String[] arguments) throws Exception {
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      String[] parts = line.split("\t", 2);
      Instances samples = DataSource.read(parts[0]);
      samples.setClassIndex(samples.numAttributes() - 1);
      OpenJ48 j48 = new OpenJ48();
      j48.setOptions(Utils.splitOptions(parts[1]));
      j48.buildClassifier(samples);
      StringBuilder printed = new StringBuilder();
      print(j48.root(), printed);
      System.out.println(printed);
      System.out.flush();
    }
  }

  private static void print(ClassifierTree node, StringBuilder printed) {
    ClassifierSplitModel model = node.getLocalModel();
    boolean isLeaf = node.isLeaf();
    C45Split split = isLeaf ? null : (C45Split) model;
    printed.append(isLeaf ? -1 : split.attIndex());
    printed.append(' ').append(isLeaf ? Double.NaN : split.splitPoint());
    Distribution weights = model.distribution();
    for (int c = 0; c < weights.numClasses(); c++) {
      printed.append(' ').append(weights.perClass(c));
    }
    printed.append('\n');
    for (int i = 0; !isLeaf && i < node.getSons().length; i++) {
      if (weights.perBag(i) > 0.0) {
        print(node.getSons()[i], printed);
      } else {
        printed.append("-2\n");
      }
    }
  }
}

package dev.jobqueue.build;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathExpressionException;
import javax.xml.xpath.XPathFactory;
import org.w3c.dom.Document;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/** A POM, read with XPath; names are without namespace. */
record Pom(String file, Document document) {

    private static final XPathFactory XPATHS = XPathFactory.newDefaultInstance();

    static Pom read(Path root, String file) {
        try {
            Path path = root.resolve(file);
            return new Pom(
                    file,
                    DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(path.toFile()));
        } catch (IOException | SAXException | ParserConfigurationException e) {
            throw new IllegalStateException("Cannot read '" + file + "' in '" + root + "'", e);
        }
    }

    List<Node> nodes(String path) {
        return nodes(document, path);
    }

    List<String> texts(String path) {
        return texts(document, path);
    }

    String text(String path) {
        return text(document, path);
    }

    String property(String name) {
        return text("/project/properties/*[name()='" + name + "']");
    }

    static List<Node> nodes(Node from, String path) {
        try {
            NodeList found = (NodeList) XPATHS.newXPath().evaluate(path, from, XPathConstants.NODESET);
            return IntStream.range(0, found.getLength()).mapToObj(found::item).toList();
        } catch (XPathExpressionException e) {
            throw new IllegalArgumentException("Cannot evaluate '" + path + "'", e);
        }
    }

    static List<String> texts(Node from, String path) {
        return nodes(from, path).stream()
                .map(node -> node.getTextContent().strip())
                .toList();
    }

    /** The first text at the path, or an empty string. */
    static String text(Node from, String path) {
        return texts(from, path).stream().findFirst().orElse("");
    }
}

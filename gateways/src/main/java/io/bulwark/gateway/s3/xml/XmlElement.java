package io.bulwark.gateway.s3.xml;

import io.bulwark.gateway.s3.request.ErrorCode;
import io.bulwark.gateway.s3.request.S3Exception;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Element of a document, without name spaces.
 *
 * @param text all character data directly inside
 * @param attributes by local name
 */
public record XmlElement(String name, String text, Map<String, String> attributes, List<XmlElement> children) {
    public XmlElement {
        attributes = Map.copyOf(attributes);
        children = List.copyOf(children);
    }

    /** Returns the children of this name, in order. */
    public List<XmlElement> all(String wanted) {
        return children.stream().filter(child -> child.name().equals(wanted)).toList();
    }

    /**
     * Returns the child of this name.
     *
     * @throws S3Exception if there are several
     */
    public Optional<XmlElement> child(String wanted) {
        List<XmlElement> found = all(wanted);
        if (found.size() > 1) {
            throw malformed("there are " + found.size() + " elements " + wanted + " in " + name);
        }
        return found.stream().findFirst();
    }

    /** Returns the text of the child of this name, without white space around it. */
    public Optional<String> textOf(String wanted) {
        return child(wanted).map(child -> child.text().strip());
    }

    /** Returns the child of this name, which must be there. */
    public XmlElement required(String wanted) {
        return child(wanted).orElseThrow(() -> malformed(name + " has no " + wanted));
    }

    /** Refuses children other than these, which the reader would ignore else. */
    public void allowOnly(String... names) {
        List<String> allowed = List.of(names);
        for (XmlElement child : children) {
            if (!allowed.contains(child.name())) {
                throw malformed(name + " has an unknown element " + child.name());
            }
        }
    }

    /** Returns the refusal of a document with this error. */
    public static S3Exception malformed(String problem) {
        return ErrorCode.MALFORMED_XML.because("The XML is not as the operation needs it: " + problem + ".");
    }
}

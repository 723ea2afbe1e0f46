package io.bulwark.gateway.s3.xml;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/** Reads a document of bounded size and depth. Document types and entities beyond the five of XML are refused. */
public final class XmlReader {
    /** S3 bounds the largest document, a list of 1,000 objects to be deleted, likewise. */
    public static final int BYTES_MAX = 2 << 20;

    private static final int DEPTH_MAX = 16;
    private static final int ELEMENTS_MAX = 100_000;

    private final XMLStreamReader in;
    private int elements;

    private XmlReader(XMLStreamReader in) {
        this.in = in;
    }

    /**
     * Reads the document whose root has this name.
     *
     * @throws io.bulwark.gateway.s3.request.S3Exception if it is not one, or too large
     */
    public static XmlElement read(InputStream body, String root) {
        byte[] bytes;
        try {
            bytes = body.readNBytes(BYTES_MAX + 1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (bytes.length > BYTES_MAX) {
            throw XmlElement.malformed("it is longer than " + BYTES_MAX + " bytes");
        }
        XmlElement document = parse(bytes);
        if (!document.name().equals(root)) {
            throw XmlElement.malformed("the root is " + document.name() + " instead of " + root);
        }
        return document;
    }

    /** Reads a document. */
    public static XmlElement parse(byte[] bytes) {
        XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        factory.setProperty(XMLInputFactory.IS_REPLACING_ENTITY_REFERENCES, true);
        factory.setProperty(XMLInputFactory.IS_COALESCING, true);
        try {
            XMLStreamReader in = factory.createXMLStreamReader(new ByteArrayInputStream(bytes));
            try {
                return new XmlReader(in).document();
            } finally {
                in.close();
            }
        } catch (XMLStreamException e) {
            throw XmlElement.malformed("it is not well-formed");
        }
    }

    private XmlElement document() throws XMLStreamException {
        while (in.next() != XMLStreamConstants.START_ELEMENT) {
            if (in.getEventType() == XMLStreamConstants.DTD) {
                throw XmlElement.malformed("it has a document type");
            }
        }
        XmlElement root = element(1);
        while (in.hasNext()) {
            in.next();
        }
        return root;
    }

    private XmlElement element(int depth) throws XMLStreamException {
        if (depth > DEPTH_MAX || ++elements > ELEMENTS_MAX) {
            throw XmlElement.malformed("it is too deep or has too many elements");
        }
        String name = in.getLocalName();
        Map<String, String> attributes = new HashMap<>();
        for (int i = 0; i < in.getAttributeCount(); i++) {
            attributes.put(in.getAttributeLocalName(i), in.getAttributeValue(i));
        }
        StringBuilder text = new StringBuilder();
        List<XmlElement> children = new ArrayList<>();
        while (true) {
            switch (in.next()) {
                case XMLStreamConstants.START_ELEMENT -> children.add(element(depth + 1));
                case XMLStreamConstants.END_ELEMENT -> {
                    return new XmlElement(name, text.toString(), attributes, children);
                }
                case XMLStreamConstants.CHARACTERS, XMLStreamConstants.CDATA, XMLStreamConstants.SPACE ->
                    text.append(in.getText());
                case XMLStreamConstants.COMMENT, XMLStreamConstants.PROCESSING_INSTRUCTION -> {}
                default -> throw XmlElement.malformed("it has an entity or a document type");
            }
        }
    }
}

import type { DescEnum, DescEnumValue, DescField, DescMessage, DescMethod, DescService } from '@bufbuild/protobuf';
import type { FileDescriptorProto } from '@bufbuild/protobuf/wkt';

/** Something that a file of descriptors can have a comment on. */
type Commented = DescMessage | DescField | DescEnum | DescEnumValue | DescService | DescMethod;

/** Field numbers of descriptor.proto, of which the path of a location consists. */
const [messages, enums, services] = [4, 5, 6];
const [fieldsOfMessage, messagesInMessage, enumsInMessage] = [2, 3, 4];
const membersOfOther = 2;

/** Where a descriptor is in its file: field numbers and indexes, in turn. */
function pathOf(desc: Commented): readonly number[] {
  switch (desc.kind) {
    case 'message':
      return desc.parent === undefined
        ? [messages, desc.file.proto.messageType.indexOf(desc.proto)]
        : [...pathOf(desc.parent), messagesInMessage, desc.parent.proto.nestedType.indexOf(desc.proto)];
    case 'enum':
      return desc.parent === undefined
        ? [enums, desc.file.proto.enumType.indexOf(desc.proto)]
        : [...pathOf(desc.parent), enumsInMessage, desc.parent.proto.enumType.indexOf(desc.proto)];
    case 'service':
      return [services, desc.file.proto.service.indexOf(desc.proto)];
    case 'field':
      return [...pathOf(desc.parent), fieldsOfMessage, desc.parent.proto.field.indexOf(desc.proto)];
    case 'enum_value':
      return [...pathOf(desc.parent), membersOfOther, desc.parent.proto.value.indexOf(desc.proto)];
    case 'rpc':
      return [...pathOf(desc.parent), membersOfOther, desc.parent.proto.method.indexOf(desc.proto)];
  }
}

const commentsByFile = new WeakMap<FileDescriptorProto, ReadonlyMap<string, string>>();

/** The comments of a file before its declarations, by path. Without the space that follows `//`, and without empty lines around. */
function commentsIn(file: FileDescriptorProto): ReadonlyMap<string, string> {
  const earlier = commentsByFile.get(file);
  if (earlier !== undefined) return earlier;
  const comments = new Map<string, string>();
  for (const { path, leadingComments } of file.sourceCodeInfo?.location ?? []) {
    const text = leadingComments.replace(/^ /gm, '').trim();
    if (text !== '') comments.set(path.join('.'), text);
  }
  commentsByFile.set(file, comments);
  return comments;
}

/** The comment before a declaration; undefined if the descriptors have none. Those that a node serves have no comments. */
export function commentOf(desc: Commented): string | undefined {
  const { proto } = desc.kind === 'field' || desc.kind === 'enum_value' || desc.kind === 'rpc' ? desc.parent.file : desc.file;
  const comments = commentsIn(proto);
  return comments.size === 0 ? undefined : comments.get(pathOf(desc).join('.'));
}

// What the tool sends: a description of the scene in JSON, and frames as bytes
// (cli/view/view_encode.c).

export interface BodyText {
    name: string;
    kind: string;
}

// A value of each point.
export interface FieldText {
    name: string;
    label: string;
    unit: string;
    kind: string; // of the bodies that have it; "": all
    signed: boolean;
}

export interface SceneText {
    format: number;
    scene: string;
    live: boolean;
    n_frame: number;
    n_point: number;
    plane_begin: number;
    bodies: BodyText[];
    corner: number[];
    end: number[];
    type: number[];
    body: number[];
    colour: number[]; // of a cell, 0xrrggbb; -1: none, -2: what touches, hidden; empty: none has one
    fields: FieldText[];
    numbers: { name: string; unit: string }[];
    series: (number | null)[][]; // per number, one value per frame; empty in a live run
    settings?: { path: string; label: string; value: number; unit: string }[];
}

export interface Frame {
    index: number;
    number: Float64Array;
    position: Float32Array; // n_point x 3
    field: Float32Array[]; // per field of the scene, n_point each
    nContact: number;
    contact: Float32Array; // n_contact x CONTACT
    contactBody: Int32Array; // n_contact x 2
}

// Columns of a contact.
export const CONTACT = 16;
export const C_POSITION = 0, C_FORCE = 3, C_NORMAL = 6, C_TANGENT = 9, C_FRICTION = 12, C_GAP = 14, C_ERROR = 15;

export const NO_CELL_BODY = { static: -1, plane: -2 };
export const CELL = { vertex: 1, line: 3, polyline: 4, triangle: 5, tetrahedron: 10 };

const MAGIC = 0x4d524643; // "CFRM"

export function checkScene(value: unknown): SceneText {
    const scene = value as SceneText;
    if (scene && !Array.isArray(scene.colour)) scene.colour = [];
    const lists = [scene?.corner, scene?.end, scene?.type, scene?.body, scene?.bodies, scene?.numbers, scene?.series, scene?.fields];
    if (!scene || scene.format !== 2 || lists.some((list) => !Array.isArray(list)))
        throw new Error("The description of the scene has an unknown format.");
    if (scene.corner.some((p) => !(p >= 0 && p < scene.n_point)))
        throw new Error("The description of the scene refers to points that do not exist.");
    return scene;
}

export function decodeFrame(bytes: ArrayBuffer, scene: SceneText): Frame {
    const head = new DataView(bytes);
    if (bytes.byteLength < 24 || head.getUint32(0, true) !== MAGIC)
        throw new Error("A frame has a wrong header: the data is damaged.");
    const [index, nPoint, nContact, nNumber, nField] = [4, 8, 12, 16, 20].map((at) => head.getUint32(at, true));
    const size = 24 + 8 * nNumber + 4 * ((3 + nField) * nPoint + (CONTACT + 2) * nContact);
    if (nPoint !== scene.n_point || nNumber !== scene.numbers.length || nField !== scene.fields.length || bytes.byteLength !== size)
        throw new Error("A frame has a wrong size: the data is damaged or cut.");
    let at = 24;
    const take = <T>(make: (offset: number, n: number) => T, n: number, bytesEach: number): T => {
        const part = make(at, n);
        at += n * bytesEach;
        return part;
    };
    const floats = (offset: number, n: number) => new Float32Array(bytes, offset, n);
    return {
        index,
        number: take((o, n) => new Float64Array(bytes, o, n), nNumber, 8),
        position: take(floats, 3 * nPoint, 4),
        field: scene.fields.map(() => take(floats, nPoint, 4)),
        nContact,
        contact: take(floats, CONTACT * nContact, 4),
        contactBody: take((o, n) => new Int32Array(bytes, o, n), 2 * nContact, 4),
    };
}
